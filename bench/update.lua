-- PUT /auth/v1/user with another value each time, as the users whose tokens stand in the file that TOKENS names.
-- The requests are put together before the run, so that the load costs little beside what it measures; their number and the number of
-- tokens have no common divisor, so that a user's next request carries another value.
local requests, count = {}, 0
local key = os.getenv("APIKEY")
local many = 8191

function init()
  local tokens = {}
  for token in io.lines(os.getenv("TOKENS")) do
    tokens[#tokens + 1] = token
  end
  for number = 1, many do
    local body = '{"data":{"n":' .. number .. '}}'
    requests[number] = "PUT " .. wrk.path .. " HTTP/1.1\r\nHost: " .. wrk.host .. "\r\nAuthorization: Bearer " .. tokens[number % #tokens + 1]
      .. "\r\napikey: " .. key .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
  end
end

function request()
  count = count % many + 1
  return requests[count]
end
