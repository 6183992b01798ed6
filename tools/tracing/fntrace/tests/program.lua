-- SPDX-License-Identifier: GPL-2.0-or-later
-- What Lua does while it is traced: program.lua [errors]
--
-- Errors and coroutines leave functions by longjmp(), after which uftrace loses calls.

local function fib(n)
	if n < 2 then
		return n
	end
	return fib(n - 1) + fib(n - 2)
end

local numbers, words, parts = {}, {}, {}
for i = 1, 30000 do
	numbers[i] = i * 7919 % 10007
	parts[i] = string.format("%d:%s", i, ("x"):rep(i % 7))
end
table.sort(numbers, function(a, b) return a < b end)
for word in ("the quick brown fox jumps over the lazy dog "):rep(2000):gmatch("%a+") do
	words[word] = (words[word] or 0) + 1
end
print(fib(23), numbers[1], numbers[#numbers], words.fox, #table.concat(parts))

if arg[1] ~= "errors" then
	return
end

-- Errors in functions, in what these call, and in an error's own handler.
local function fail(depth)
	if depth == 0 then
		error("too deep")
	end
	return fail(depth - 1) + 1
end

local failed = 0
for i = 1, 2000 do
	local good = pcall(function() return i % 2 == 0 and fail(i % 20) end)
	if not good then
		failed = failed + 1
	end
end
print(failed, xpcall(fail, function(message) error(message) end, 3))
print(select("#", xpcall(fail, debug.traceback, 3)))

-- Coroutines that end, that fail, and that are given up.
local function numbers_to(n)
	return coroutine.wrap(function()
		for i = 1, n do
			coroutine.yield(i)
		end
	end)
end

local sum = 0
for i in numbers_to(5000) do
	sum = sum + i
end
for _ = 1, 100 do
	numbers_to(10)()
end
local inner = coroutine.create(function()
	coroutine.yield(pcall(coroutine.yield, "inside of pcall"))
	error({ code = 7 })
end)
print(sum, coroutine.resume(inner))
print(coroutine.resume(inner, "again"))
print(select(2, coroutine.resume(inner)).code, coroutine.status(inner))
collectgarbage()
