-- POST /auth/v1/token?grant_type=refresh_token, each time with a token that was not used before: the start is the file that
-- TOKENS names, one refresh token a line; every answer's token goes to the end of the queue.
-- What stays the same of a request is put together once, so that the load costs little beside what it measures.
local queue, head, tail = {}, 1, 0
local key = os.getenv("APIKEY")
local mark = '"refresh_token":"'
local start

function init()
  for line in io.lines(os.getenv("TOKENS")) do
    tail = tail + 1
    queue[tail] = line
  end
  start = "POST " .. wrk.path .. " HTTP/1.1\r\nHost: " .. wrk.host .. "\r\napikey: " .. key
    .. "\r\nContent-Type: application/json\r\nContent-Length: "
end

function request()
  local body = '{"refresh_token":"' .. (queue[head] or "nomoretokens") .. '"}'
  queue[head] = nil
  head = head + 1
  return start .. #body .. "\r\n\r\n" .. body
end

function response(status, _, body)
  if status ~= 200 then return end
  local _, last = body:find(mark, 1, true)
  local quote = last and body:find('"', last + 1, true)
  if quote then
    tail = tail + 1
    queue[tail] = body:sub(last + 1, quote - 1)
  end
end
