-- SPDX-License-Identifier: GPL-2.0-or-later
-- What SQLite does while it is traced.

create table person(id integer primary key, name text, age int);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000)
insert into person select i, 'name' || (i * 7919 % 20011), i * 31 % 97 from n;
create index by_name on person(name);

select age, count(*), max(name) from person group by age order by 2 desc, 1 limit 5;
select count(*) from person a join person b on a.name = b.name where a.age > 50;
select name, row_number() over (partition by age order by name) from person limit 3;

begin;
update person set age = age + 1 where name like '%7%';
savepoint inner;
delete from person where id % 3 = 0;
rollback to inner;
delete from person where id % 5 = 0;
commit;
insert into person values (1, 'twice', 0);
select * from nowhere;
select json_extract('{"a": [1, {"b": 2}]}', '$.a[1].b'), sum(age), avg(length(name)) from person;
