create table people (id integer primary key, name text not null, age integer, city text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
insert into people select i, 'person ' || i, (i * 37) % 90, char(65 + i % 7) from n;
create index by_city on people (city, age);
create table log (what text);
create trigger aged after update of age on people begin insert into log values (old.age || '>' || new.age); end;
update people set age = age + 1 where id % 100 = 0;
select count(*), min(what), max(what) from log;
select city, count(*), avg(age), group_concat(distinct age % 3) from people group by city order by city;
select a.name, b.name from people a join people b on a.age = b.age and a.id < b.id where a.city = 'A' order by 1, 2 limit 5;
select name, rank() over (partition by city order by age desc, id) r from people where age > 85 order by city, r limit 9;
select json_extract('{"a":[1,2,{"b":"c"}]}', '$.a[2].b'), printf('%08.3f', 3.14159), hex('bytes'), substr('deadheat', 5);
with recursive fib(a, b) as (select 0, 1 union all select b, a + b from fib limit 60) select max(a) from fib;
begin; delete from people where id > 10; select count(*) from people; rollback; select count(*) from people;
.mode column
.headers on
select id, name, upper(city) as city from people where name like '%99' order by id desc limit 3;
explain query plan select * from people where city = 'B' and age > 50;
select * from nowhere;
.schema people
pragma integrity_check;
