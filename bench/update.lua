-- PUT /auth/v1/user with another value each time, as the users whose tokens stand in the file that TOKENS names.
-- What stays the same of a request is put together once, so that the load costs little beside what it measures.
local heads, count = {}, 0
local key = os.getenv("APIKEY")

function init()
  for token in io.lines(os.getenv("TOKENS")) do
    heads[#heads + 1] = "PUT " .. wrk.path .. " HTTP/1.1\r\nHost: " .. wrk.host .. "\r\nAuthorization: Bearer " .. token
      .. "\r\napikey: " .. key .. "\r\nContent-Type: application/json\r\nContent-Length: "
  end
end

function request()
  count = count + 1
  local body = '{"data":{"n":' .. count .. '}}'
  return heads[count % #heads + 1] .. #body .. "\r\n\r\n" .. body
end
