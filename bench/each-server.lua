-- For wrk: requests the servers 1 to 100 in turn, so that no two of the requests at the same time are for the same one.
local id = 0

request = function()
  id = id % 100 + 1
  return wrk.format("GET", "/v1/servers/" .. id)
end
