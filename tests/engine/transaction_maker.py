"""Valid transactions for the comparison of lint and engine.

One number gives one transaction, always the same: actions of all kinds with random values,
conditions and updates on three tables.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

Json = dict[str, Any]


class TableShape(NamedTuple):
    """A table of the comparison: its key attributes with their types, and the key of its index."""

    partition: tuple[str, str]
    sort: tuple[str, str] | None
    listed: tuple[str, str] | None = None

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """The key attributes with their types."""
        return (self.partition, self.sort) if self.sort else (self.partition,)

    def described(self, name: str) -> Json:
        """What DescribeTable tells of the table, as far as it matters."""
        known = [*self.keys, *([self.listed] if self.listed else [])]
        table: Json = {
            "TableName": name,
            "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in known],
            "KeySchema": [
                {"AttributeName": n, "KeyType": role}
                for (n, _), role in zip(self.keys, ("HASH", "RANGE"), strict=False)
            ],
        }
        if self.listed:
            schema = [{"AttributeName": self.listed[0], "KeyType": "HASH"}]
            table["GlobalSecondaryIndexes"] = [{"IndexName": "by-index", "KeySchema": schema}]
        return {"Table": table}


TABLES: Mapping[str, TableShape] = {
    "lint-pairs": TableShape(("PK", "S"), ("SK", "S"), ("email", "S")),
    "lint-numbers": TableShape(("pk", "S"), ("version", "N")),
    "lint-binary": TableShape(("id", "B"), None),
}
PLAIN = ("title", "amount", "note", "profile", "tags", "e.mail", "x-y", "_hidden", "Ünïcode")
RESERVED = ("status", "name", "Size", "data", "TTL", "user")
WORDS = ("", "a", "ada@lovelace.io", "ÄÖ ü", "日本", "🙂", "x" * 300, "UNIQ#EMAIL#a", "a/b~c", '"')
DEEPEST = 3
NUMBERS = ("0", "-1", "1.50", "1e5", "1E-130", "9" * 38, "0.1", "-0", "00042", "1e125")


class Maker:
    """Makes one transaction from one number."""

    def __init__(self, number: int) -> None:
        self.random = Random(number)
        self.number = number

    def chance(self, share: float) -> bool:
        """True in this share of all cases."""
        return self.random.random() < share

    def of(self, *choices: Any) -> Any:
        """One of the choices."""
        return self.random.choice(choices)

    def text(self) -> str:
        """A text, one of the odd ones or a random one."""
        if self.chance(0.5):
            return str(self.of(*WORDS))
        return "".join(self.random.choices("abc #é🙂", k=self.random.randint(1, 12)))

    def binary(self) -> str:
        """Some bytes in base64."""
        return base64.b64encode(self.random.randbytes(self.random.randint(0, 9))).decode()

    def value(self, depth: int = 0) -> Json:
        """A valid value of any type."""
        makers: dict[str, Callable[[], Any]] = {
            "S": self.text,
            "N": lambda: self.of(*NUMBERS),
            "B": self.binary,
            "BOOL": lambda: self.chance(0.5),
            "NULL": lambda: True,
            "SS": lambda: self.some(WORDS, 1),
            "NS": lambda: self.some(("1", "2.5", "-3", "1e9"), 1),
            "BS": lambda: self.some(("", "AQ==", "AAEC"), 1),
        }
        if depth < DEEPEST:
            makers["L"] = lambda: [self.value(depth + 1) for _ in range(self.of(0, 1, 2, 3))]
            makers["M"] = lambda: {name: self.value(depth + 1) for name in self.some(PLAIN, 0)}
        tag = self.of(*makers)
        return {tag: makers[tag]()}

    def some(self, choices: Sequence[str], least: int) -> list[str]:
        """Up to three different ones of the choices."""
        return self.random.sample(choices, self.random.randint(least, 3))

    def key(self, shape: TableShape, slot: int) -> Json:
        """A key of its own for each transaction and slot."""
        own = f"{self.number}-{slot}"
        made = {
            "S": {"S": f"{self.of('ACCT', 'UNIQ', 'é')}#{own}"},
            "N": {"N": self.of(str(slot), f"{slot}.0", f"{slot}e0")},
            "B": {"B": base64.b64encode(own.encode()).decode()},
        }
        return {name: copy.deepcopy(made[kind]) for name, kind in shape.keys}

    def action(self, slot: int) -> Json:
        """A valid action on one of the tables."""
        table = self.of(*TABLES)
        shape = TABLES[table]
        key = self.key(shape, slot)
        writer = ExpressionWriter(self, shape)
        kind = self.of("Put", "Put", "Update", "Update", "Delete", "ConditionCheck")
        body: Json = {"TableName": table}
        if kind == "Put":
            body["Item"] = key | self.item(shape)
        else:
            body["Key"] = key
        if kind == "Update":
            body["UpdateExpression"] = writer.update()
        if kind == "ConditionCheck" or self.chance(0.6):
            body["ConditionExpression"] = writer.condition(key)
        if writer.names:
            body["ExpressionAttributeNames"] = writer.names
        if writer.values:
            body["ExpressionAttributeValues"] = writer.values
        if self.chance(0.2):
            body["ReturnValuesOnConditionCheckFailure"] = self.of("ALL_OLD", "NONE")
        return {kind: body}

    def item(self, shape: TableShape) -> Json:
        """Attributes besides the key."""
        names = self.random.sample((*PLAIN, *RESERVED), self.random.randint(0, 5))
        item = {name: self.value() for name in names}
        if shape.listed and self.chance(0.5):
            item[shape.listed[0]] = {"S": self.of("ada@lovelace.io", "é")}
        return item

    def request(self) -> Json:
        """A valid transaction."""
        count = self.of(1, 1, 2, 3, 5)
        request: Json = {"TransactItems": [self.action(slot) for slot in range(count)]}
        if self.chance(0.4):
            request["ClientRequestToken"] = f"{self.number:036d}"
        if self.chance(0.2):
            request["ReturnConsumedCapacity"] = self.of("INDEXES", "TOTAL", "NONE")
        if self.chance(0.1):
            request["ReturnItemCollectionMetrics"] = self.of("SIZE", "NONE")
        return request


class ExpressionWriter:
    """Writes valid expressions of one action, with its placeholders."""

    def __init__(self, maker: Maker, shape: TableShape) -> None:
        self.maker = maker
        self.shape = shape
        self.names: dict[str, str] = {}
        self.values: Json = {}

    def name(self, name: str) -> str:
        """A name as it may stand in an expression."""
        plain = name.isascii() and name.isalnum() and name not in RESERVED
        if plain and self.maker.chance(0.7):
            return name
        token = f"#n{len(self.names)}"
        self.names[token] = name
        return token

    def literal(self, value: Json) -> str:
        """A placeholder for a value."""
        token = f":v{len(self.values)}"
        self.values[token] = value
        return token

    def attribute(self) -> str:
        """Some attribute that is no key."""
        return self.name(self.maker.of(*PLAIN, *RESERVED))

    def ordered(self) -> Json:
        """A value that has an order."""
        return (
            {"N": self.maker.of(*NUMBERS)} if self.maker.chance(0.5) else {"S": self.maker.text()}
        )

    def condition(self, key: Json) -> str:
        """A condition that mostly holds for an item that is not there."""
        name = self.name(next(iter(key)))
        more = [self.comparison() for _ in range(self.maker.of(0, 0, 1, 1, 2))]
        parts = [f"attribute_not_exists({name})", *more]
        joined = f" {self.maker.of('OR', 'or', 'AND')} ".join(parts)
        return f"({joined})" if self.maker.chance(0.1) else joined

    def comparison(self) -> str:
        """One condition of any kind."""
        m, name = self.maker, self.attribute()
        makers: list[Callable[[], str]] = [
            lambda: f"{name} {m.of('=', '<>')} {self.literal(m.value())}",
            lambda: f"{name} {m.of('<', '<=', '>', '>=')} {self.literal(self.ordered())}",
            lambda: f"{name} BETWEEN {self.literal({'N': '1'})} AND {self.literal({'N': '20'})}",
            lambda: f"{name} IN ({', '.join(self.literal(m.value()) for _ in range(m.of(1, 3)))})",
            lambda: f"attribute_exists({name}.{self.attribute()}[{m.of(0, 1, 7)}])",
            lambda: f"attribute_type({name}, {self.literal({'S': m.of('S', 'N', 'M', 'SS')})})",
            lambda: f"begins_with({name}, {self.literal({'S': m.text()})})",
            lambda: f"contains({name}, {self.literal(m.of({'S': 'a'}, {'N': '1'}))})",
            lambda: f"size({name}) {m.of('<', '>=', '=')} {self.literal({'N': '3'})}",
            lambda: f"NOT ({name} = {self.literal(m.value())})",
        ]
        return str(m.of(*makers)())

    def update(self) -> str:
        """An update that works on an item that is not there."""
        m = self.maker
        names = m.random.sample((*PLAIN, *RESERVED), 6)
        sets = []
        for name in names[: m.of(1, 1, 2, 3)]:
            left = self.name(name)
            match m.of("value", "value", "otherwise", "sum", "append"):
                case "value":
                    sets.append(f"{left} = {self.literal(m.value())}")
                case "otherwise":
                    sets.append(f"{left} = if_not_exists({left}, {self.literal(m.value())})")
                case "sum":
                    zero, one = self.literal({"N": "0"}), self.literal({"N": m.of("1", "2.5")})
                    sets.append(f"{left} = if_not_exists({left}, {zero}) {m.of('+', '-')} {one}")
                case _:
                    empty, more = self.literal({"L": []}), self.literal({"L": [m.value(2)]})
                    sets.append(f"{left} = list_append(if_not_exists({left}, {empty}), {more})")
        sections = [f"{m.of('SET', 'set', 'Set')} {', '.join(sets)}"]
        if m.chance(0.3):
            sections.append(f"REMOVE {self.name(names[3])}")
        if m.chance(0.3):
            number = m.of({"N": "1"}, {"SS": ["a"]}, {"NS": ["1"]})
            sections.append(f"ADD {self.name(names[4])} {self.literal(number)}")
        if m.chance(0.2):
            sections.append(f"DELETE {self.name(names[5])} {self.literal({'SS': ['a', 'b']})}")
        m.random.shuffle(sections)
        return " ".join(sections)
