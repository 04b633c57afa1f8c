-- PUT /auth/v1/user with another value each time, as the users whose tokens stand in the file that TOKENS names.
local tokens, count = {}, 0
local key = os.getenv("APIKEY")

function init()
  for line in io.lines(os.getenv("TOKENS")) do tokens[#tokens + 1] = line end
end

function request()
  count = count + 1
  local headers = { ["Authorization"] = "Bearer " .. tokens[count % #tokens + 1], ["apikey"] = key,
                    ["Content-Type"] = "application/json" }
  return wrk.format("PUT", nil, headers, '{"data":{"n":' .. count .. '}}')
end
