-- GET /auth/v1/user as many different users: the tokens stand in the file that TOKENS names, one a line.
local tokens, next_token = {}, 0
local key = os.getenv("APIKEY")

function init()
  for line in io.lines(os.getenv("TOKENS")) do tokens[#tokens + 1] = line end
  for i, token in ipairs(tokens) do
    tokens[i] = wrk.format("GET", nil, { ["Authorization"] = "Bearer " .. token, ["apikey"] = key })
  end
end

function request()
  next_token = next_token % #tokens + 1
  return tokens[next_token]
end
