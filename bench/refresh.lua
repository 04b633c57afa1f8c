-- POST /auth/v1/token?grant_type=refresh_token, each time with a token that was not used before: the start is the file that
-- TOKENS names, one refresh token a line; every answer's token goes to the end of the queue.
local queue, head, tail = {}, 1, 0
local key = os.getenv("APIKEY")
local headers

function init()
  for line in io.lines(os.getenv("TOKENS")) do
    tail = tail + 1
    queue[tail] = line
  end
  headers = { ["apikey"] = key, ["Content-Type"] = "application/json" }
end

function request()
  local token = queue[head] or "nomoretokens"
  queue[head] = nil
  head = head + 1
  return wrk.format("POST", nil, headers, '{"refresh_token":"' .. token .. '"}')
end

function response(status, _, body)
  local token = status == 200 and body:match('"refresh_token":%s*"([^"]+)"')
  if token then
    tail = tail + 1
    queue[tail] = token
  end
end
