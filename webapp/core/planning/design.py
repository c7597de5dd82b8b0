"""The design: a table, its key layout, where records and locks stand, and what must be unique.

Rule: a ``Design`` that exists cannot give two values one lock key, nor a record the key of a lock;
templates that could are refused here, when the design is read, with the reason. The reason: a
collision shows only in production, as somebody else's value being "taken".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from webapp.core import shapes
from webapp.core.jsontext import Digits
from webapp.core.limits import KEY_NAME_BYTES
from webapp.core.planning import keys
from webapp.core.planning.keys import KeyAttribute, KeySchema, Template
from webapp.core.planning.normalize import STEPS
from webapp.core.problems import Problem, Problems, Text, excerpt, register
from webapp.core.tablenames import is_table_name
from webapp.core.values import Value, Where, identity_of, name_size, read_plain, read_typed

register(
    {
        "table-name": Text(
            "“{given}” is no table name.",
            "A table name has 3 to 255 characters: letters, digits, underscore, dash and dot.",
        ),
        "key-name-long": Text(
            "The name of a key attribute has {count} bytes; the limit is {limit}.", "Shorten it."
        ),
        "key-names-equal": Text(
            "Partition key and sort key have one name.", "Give the sort key the name the table has."
        ),
        "sort-template-missing": Text(
            "The table has a sort key, but there is no template for it.",
            "Give one, like PROFILE or LOCK.",
        ),
        "sort-template-surplus": Text(
            "The table has no sort key, so there can be no template for it.",
            "Remove the template, or add the sort key.",
        ),
        "lock-placeholder": Text(
            "A lock template knows {{namespace}} and {{value}} only, not “{name}”.",
            "A lock is a function of the protected value alone: take “{name}” out.",
        ),
        "lock-placeholder-twice": Text(
            "{{{name}}} stands more than once in the lock templates.", "Keep one of them."
        ),
        "lock-value-missing": Text(
            "No lock template holds {{value}}, so every value would get the same lock.",
            "Put {{value}} into the partition or the sort template.",
        ),
        "lock-namespace-missing": Text(
            "Several namespaces share the lock templates, but {{namespace}} stands in none.",
            "Put {{namespace}} before {{value}}, like UNIQ#{{namespace}}#{{value}}.",
        ),
        "lock-ambiguous": Text(
            "{{namespace}} and {{value}} touch: AB + C and A + BC would be one lock.",
            "Put a separator between them, like UNIQ#{{namespace}}#{{value}}.",
        ),
        "lock-number": Text(
            "The {role} key is a number and cannot hold {{{name}}}.",
            "Keep the value in the other key, or give the locks a table of their own.",
        ),
        "lock-partition-number": Text(
            "The partition key of this table is a number; it cannot hold locks.",
            "Give the locks a table of their own, with a partition key of type S.",
        ),
        "record-poses-as-lock": Text(
            "A record could get the key of a lock: “{record}” and “{lock}” can be one key.",
            "Begin the record's template with a text that no lock has, like ACCT#{{id}}, or give "
            "the locks a table of their own.",
        ),
        "lock-table-same": Text(
            "“{name}” is the records' own table.",
            "Leave out the lock's table, or give the locks another one.",
        ),
        "lock-namespace-long": Text(
            "With the namespace “{namespace}” the {role} key of its locks has {count:,} bytes; "
            "DynamoDB allows {limit:,}.",
            "Shorten the namespace or the template.",
        ),
        "owner-is-key": Text(
            "“{name}” is a key attribute of the lock's table and cannot hold the owner.",
            "Choose another attribute name, like owner.",
        ),
        "namespace-separator": Text(
            "The namespace “{namespace}” contains the template's separator “{separator}”.",
            "Rename it: its locks could be read as another namespace's.",
        ),
        "namespace-prefix": Text(
            "The namespaces “{one}” and “{other}” could give one lock key.",
            "Rename one of them.",
        ),
        "namespace-shared": Text(
            "“{namespace}” is used by two constraints that differ in {difference}.",
            "Constraints of one namespace need the same number of attributes, the same "
            "normalisation and the same digest; or give each its own namespace.",
        ),
        "constraints-too-many": Text(
            "The design has {count:,} constraints; {limit:,} are looked at.",
            "Remove some: one transaction holds 100 actions, so 99 locks at most.",
        ),
        "constraint-twice": Text(
            "This constraint is the same as number {other}.", "Remove one of them."
        ),
        "attribute-twice": Text("“{name}” stands twice in one constraint.", "Keep one of them."),
        "unique-key-attribute": Text(
            "“{name}” is a key attribute of the table and cannot be protected by a lock.",
            "The primary key is unique already; protect other attributes.",
        ),
        "only-when-type": Text(
            "{given} cannot be compared here.", "List texts, numbers, true or false."
        ),
        "placeholder-adjacent": Text(
            "Two placeholders of “{given}” touch: different records could get one key.",
            "Put a separator between them, like {{a}}#{{b}}.",
        ),
        "record-constant": Text(
            "The record's templates hold no placeholder: every record has one and the same key.",
            "Add a part that differs between records, like ACCT#{{id}}.",
        ),
        "hot-partition": Text(
            "All locks of a namespace share one partition.",
            "A Query can list them, but they share one partition's throughput "
            "(about 1,000 write units a second); put {{value}} into the partition template "
            "if you expect more.",
        ),
        "digest-guessable": Text(
            "A plain SHA-256 of “{namespace}” can be guessed by hashing likely values.",
            "Use hmac-sha256 with a secret.",
        ),
        "nothing-unique": Text(
            "The design protects nothing: no attribute is unique.", "Add a constraint."
        ),
        "version-unknown": Text("{given} is no known version of a design.", "Write 1."),
    }
)

PLACEHOLDERS = ("namespace", "value")
NAMESPACE_CHARACTERS = 255
CONSTRAINTS = 1_000

KeyType = Literal["S", "N", "B"]
Digest = Literal["sha256", "hmac-sha256"]
Step = Literal["trim", "nfc", "nfkc", "casefold"]
NonEmpty = Annotated[str, Field(min_length=1)]


class KeyShape(shapes.Shape):
    """A key attribute: its name and type."""

    name: NonEmpty
    type: KeyType


class RecordShape(shapes.Shape):
    """The templates of a record's key."""

    partition: str
    sort: str | None = None


class LockTableShape(shapes.Shape):
    """A table that holds only locks."""

    name: str
    partition_key: KeyShape
    sort_key: KeyShape | None = None


DEFAULT_LOCK_PARTITION = "UNIQ#{namespace}#{value}"
DEFAULT_LOCK_SORT = {"S": "LOCK", "N": "0", "B": "LOCK"}


class LockShape(shapes.Shape):
    """The templates of a lock's key, the attribute that stores its owner, its own table if any."""

    partition: str = DEFAULT_LOCK_PARTITION
    sort: str | None = None
    owner: NonEmpty | None = None
    table: LockTableShape | None = None


class ConstraintShape(shapes.Shape):
    """One uniqueness rule."""

    namespace: Annotated[str, Field(min_length=1, max_length=NAMESPACE_CHARACTERS)]
    attributes: Annotated[list[str], Field(min_length=1)]
    normalize: list[Step] = []
    required: bool = False
    only_when: dict[str, Annotated[list[Any], Field(min_length=1)]] | None = None
    digest: Digest | None = None


class DesignShape(shapes.Shape):
    """The design document."""

    version: Any = 1
    table: str
    partition_key: KeyShape
    sort_key: KeyShape | None = None
    record: RecordShape
    lock: LockShape = LockShape()
    unique: list[ConstraintShape]
    alias: Literal["needed", "always"] = "needed"


class Layout(NamedTuple):
    """A table with the templates that make keys in it."""

    table: str
    schema: KeySchema
    partition: Template
    sort: Template | None

    @property
    def templates(self) -> tuple[tuple[KeyAttribute, Template], ...]:
        """Each key attribute with its template, partition key first."""
        first = (self.schema.partition, self.partition)
        if self.schema.sort is None or self.sort is None:
            return (first,)
        return (first, (self.schema.sort, self.sort))


@dataclass(frozen=True, slots=True)
class Constraint:
    """One uniqueness rule: a namespace, one or more attributes, when and how their values lock.

    ``only_when`` maps an attribute to the identities of the values with which the lock is held.
    """

    index: int
    namespace: str
    attributes: tuple[str, ...]
    normalize: tuple[str, ...]
    required: bool
    only_when: Mapping[str, frozenset[tuple[str, object]]]
    digest: Digest | None

    @property
    def guarded(self) -> tuple[str, ...]:
        """The attributes whose before values guard a change: its own, then those of only_when."""
        return tuple(dict.fromkeys((*self.attributes, *self.only_when)))


@dataclass(frozen=True, slots=True)
class Design:
    """A valid design. ``warnings`` are worth knowing and refuse nothing."""

    record: Layout
    lock: Layout
    owner: str | None
    unique: tuple[Constraint, ...]
    alias: Literal["needed", "always"]
    warnings: tuple[Problem, ...]

    @property
    def table(self) -> str:
        """The name of the records' table."""
        return self.record.table


def read_design(document: object, where: Where, problems: Problems) -> Design | None:
    """The design that a document describes, or ``None`` with all its problems noted."""
    count = len(problems)
    checked = shapes.check(DesignShape, document, where, problems)
    shape = checked or shapes.rest(DesignShape, document)
    if shape is None or _has_too_many(shape, where, problems):
        return None
    _check_version(shape.version, where, problems)
    record = _record_layout(shape, where, problems)
    lock = _lock_layout(shape, where, problems)
    unique = _constraints(shape, where, problems)
    if record is None or lock is None:
        return None
    warnings = _check_together(record, lock, unique, shape, where, problems)
    if len(problems) > count:
        return None
    return Design(record, lock, shape.lock.owner, unique, shape.alias, warnings)


def _has_too_many(shape: DesignShape, where: Where, problems: Problems) -> bool:
    """Whether there are more constraints than are looked at one by one, which is noted."""
    count = len(shape.unique)
    if count > CONSTRAINTS:
        at = Where(where, "unique").pointer()
        problems.add("constraints-too-many", at, count=count, limit=CONSTRAINTS)
    return count > CONSTRAINTS


def _check_version(version: object, where: Where, problems: Problems) -> None:
    if type(version) is not int or version != 1:
        given = version.text if isinstance(version, Digits) else version
        problems.add("version-unknown", Where(where, "version").pointer(), given=excerpt(given))


def _record_layout(shape: DesignShape, where: Where, problems: Problems) -> Layout | None:
    schema = _schema(shape.table, shape.partition_key, shape.sort_key, where, "table", problems)
    here = Where(where, "record")
    return _layout(shape.table, schema, shape.record.partition, shape.record.sort, here, problems)


def _lock_layout(shape: DesignShape, where: Where, problems: Problems) -> Layout | None:
    here = Where(where, "lock")
    own = shape.lock.table
    if own is None:
        quiet = Problems()
        schema = _schema(shape.table, shape.partition_key, shape.sort_key, where, "table", quiet)
        table = shape.table
    else:
        inner = Where(here, "table")
        schema = _schema(own.name, own.partition_key, own.sort_key, inner, "name", problems)
        table = own.name
        if table == shape.table:
            at = Where(inner, "name").pointer()
            problems.add("lock-table-same", at, name=excerpt(table))
    sort = shape.lock.sort
    if "sort" not in shape.lock.model_fields_set and schema.sort is not None:
        sort = DEFAULT_LOCK_SORT[schema.sort.type]
    layout = _layout(table, schema, shape.lock.partition, sort, here, problems)
    if layout is not None:
        _check_lock_templates(
            layout, len({rule.namespace for rule in shape.unique}), here, problems
        )
        _check_owner(shape.lock.owner, schema, here, problems)
    return layout


def _schema(
    table: str,
    partition: KeyShape,
    sort: KeyShape | None,
    where: Where,
    member: str,
    problems: Problems,
) -> KeySchema:
    if not is_table_name(table):
        problems.add("table-name", Where(where, member).pointer(), given=excerpt(table))
    _check_key_name(partition.name, Where(where, "partition_key"), problems)
    first = KeyAttribute(partition.name, partition.type, "partition")
    if sort is None:
        return KeySchema(first, None)
    _check_key_name(sort.name, Where(where, "sort_key"), problems)
    if sort.name == partition.name:
        problems.add("key-names-equal", Where(Where(where, "sort_key"), "name").pointer())
    return KeySchema(first, KeyAttribute(sort.name, sort.type, "sort"))


def _check_key_name(name: str, where: Where, problems: Problems) -> None:
    here = Where(where, "name")
    size = name_size(name, here, problems)
    if size is not None and size > KEY_NAME_BYTES:
        problems.add("key-name-long", here.pointer(), count=size, limit=KEY_NAME_BYTES)


def _layout(
    table: str,
    schema: KeySchema,
    partition: str,
    sort: str | None,
    where: Where,
    problems: Problems,
) -> Layout | None:
    first = _template(partition, schema.partition, Where(where, "partition"), problems)
    here = Where(where, "sort")
    if (sort is None) != (schema.sort is None):
        code = "sort-template-missing" if sort is None else "sort-template-surplus"
        problems.add(code, here.pointer())
        return None
    if sort is None or schema.sort is None:
        return None if first is None else Layout(table, schema, first, None)
    second = _template(sort, schema.sort, here, problems)
    return None if first is None or second is None else Layout(table, schema, first, second)


def _template(
    text: str, attribute: KeyAttribute, where: Where, problems: Problems
) -> Template | None:
    template = keys.read_template(text, where, problems)
    if template is None or _noted_size(template, attribute, where, problems):
        return None
    lock_number = where.outer is not None and str(where.outer.token) == "lock" and template.names
    if not lock_number:
        keys.check_type(template, attribute, where, problems)
    return template


def _noted_size(
    template: Template, attribute: KeyAttribute, where: Where, problems: Problems
) -> bool:
    """Note a template whose shortest key is over the limit, or that is no UTF-8."""
    try:
        size = len("".join(template.literals).encode()) + len(template.names)
    except UnicodeEncodeError:
        problems.add("not-utf8", where.pointer())
        return True
    if size <= attribute.limit:
        return False
    problems.add(
        "key-too-long", where.pointer(), role=attribute.role, count=size, limit=attribute.limit
    )
    return True


def _check_lock_templates(
    layout: Layout, namespaces: int, where: Where, problems: Problems
) -> None:
    places = [
        (name, attribute, Where(where, attribute.role))
        for attribute, template in layout.templates
        for name in template.names
    ]
    found = [name for name, _, _ in places]
    if layout.schema.partition.type == "N":
        problems.add("lock-partition-number", Where(where, "partition").pointer())
    earlier: set[str] = set()
    for name, attribute, here in places:
        _check_lock_placeholder(name, attribute, here, earlier, problems)
        earlier.add(name)
    if "value" not in found:
        problems.add("lock-value-missing", Where(where, "partition").pointer())
    if "namespace" not in found and namespaces > 1:
        problems.add("lock-namespace-missing", Where(where, "partition").pointer())
    for attribute, template in layout.templates:
        if "" in template.literals[1:-1]:
            problems.add("lock-ambiguous", Where(where, attribute.role).pointer())


def _check_lock_placeholder(
    name: str, attribute: KeyAttribute, where: Where, earlier: set[str], problems: Problems
) -> None:
    if name not in PLACEHOLDERS:
        problems.add("lock-placeholder", where.pointer(), name=excerpt(name))
    elif name in earlier:
        problems.add("lock-placeholder-twice", where.pointer(), name=name)
    elif attribute.type == "N" and attribute.role == "sort":
        problems.add("lock-number", where.pointer(), role=attribute.role, name=name)


def _check_owner(owner: str | None, schema: KeySchema, where: Where, problems: Problems) -> None:
    if owner is None:
        return
    here = Where(where, "owner")
    name_size(owner, here, problems)
    if owner in schema.names:
        problems.add("owner-is-key", here.pointer(), name=excerpt(owner))


def _constraints(shape: DesignShape, where: Where, problems: Problems) -> tuple[Constraint, ...]:
    here = Where(where, "unique")
    key_names = {key.name for key in (shape.partition_key, shape.sort_key) if key is not None}
    return tuple(
        _constraint(index, rule, key_names, Where(here, index), problems)
        for index, rule in enumerate(shape.unique)
    )


def _constraint(
    index: int, shape: ConstraintShape, key_names: set[str], where: Where, problems: Problems
) -> Constraint:
    here = Where(where, "attributes")
    earlier: set[str] = set()
    for number, name in enumerate(shape.attributes):
        _check_attribute(name, earlier, key_names, Where(here, number), problems)
        earlier.add(name)
    try:
        shape.namespace.encode()
    except UnicodeEncodeError:
        problems.add("not-utf8", Where(where, "namespace").pointer())
    steps = tuple(step for step in STEPS if step in shape.normalize)
    conditions = _only_when(shape.only_when or {}, key_names, Where(where, "only_when"), problems)
    return Constraint(
        index,
        shape.namespace,
        tuple(shape.attributes),
        steps,
        shape.required,
        conditions,
        shape.digest,
    )


def _check_attribute(
    name: str, earlier: set[str], key_names: set[str], where: Where, problems: Problems
) -> None:
    name_size(name, where, problems)
    if name in earlier:
        problems.add("attribute-twice", where.pointer(), name=excerpt(name))
    if name in key_names:
        problems.add("unique-key-attribute", where.pointer(), name=excerpt(name))


def _only_when(
    conditions: Mapping[str, list[Any]], key_names: set[str], where: Where, problems: Problems
) -> Mapping[str, frozenset[tuple[str, object]]]:
    found: dict[str, frozenset[tuple[str, object]]] = {}
    for name, allowed in conditions.items():
        here = Where(where, name)
        _check_attribute(name, set(), key_names, here, problems)
        found[name] = frozenset(_allowed(allowed, here, problems))
    return found


def _allowed(
    values: Iterable[object], where: Where, problems: Problems
) -> Iterable[tuple[str, object]]:
    for index, document in enumerate(values):
        here = Where(where, index)
        value = (read_typed if isinstance(document, dict) else read_plain)(document, here, problems)
        if value is None:
            continue
        if value.tag not in {"S", "N", "BOOL"}:
            problems.add("only-when-type", here.pointer(), given=excerpt(document))
            continue
        yield condition_identity(value)


def condition_identity(value: Value) -> tuple[str, object]:
    """What makes two values of an only_when attribute equal: their type and their exact value."""
    if value.tag in {"S", "N", "B", "BOOL"}:
        return value.tag, identity_of(value)
    return value.tag, None


def _check_together(
    record: Layout,
    lock: Layout,
    unique: tuple[Constraint, ...],
    shape: DesignShape,
    where: Where,
    problems: Problems,
) -> tuple[Problem, ...]:
    _check_posing(record, lock, unique, where, problems)
    _check_namespaces(lock, unique, where, problems)
    _check_namespace_sizes(lock, unique, where, problems)
    _check_shared(unique, where, problems)
    return tuple(_warnings(record, lock, unique, where))


def _check_posing(
    record: Layout, lock: Layout, unique: tuple[Constraint, ...], where: Where, problems: Problems
) -> None:
    if record.table != lock.table or lock.schema.partition.type == "N":
        return  # a number holds no lock at all, which is said already
    for namespace in dict.fromkeys(rule.namespace for rule in unique):
        if all(
            keys.may_meet(mine, theirs.with_filled("namespace", namespace), attribute.type == "N")
            for (attribute, mine), (_, theirs) in zip(record.templates, lock.templates, strict=True)
        ):
            lock_text = lock.partition.with_filled("namespace", namespace).text
            at = Where(Where(where, "record"), "partition").pointer()
            problems.add("record-poses-as-lock", at, record=record.partition.text, lock=lock_text)
            return


def _check_namespaces(
    lock: Layout, unique: tuple[Constraint, ...], where: Where, problems: Problems
) -> None:
    """Namespaces must be told from values: no separator inside, none the beginning of another."""
    separator, leads = _separator(lock)
    if not separator:
        return
    first = {rule.namespace: rule for rule in reversed(unique)}
    here = Where(where, "unique")
    for namespace, rule in first.items():
        if separator in namespace:
            at = Where(Where(here, rule.index), "namespace").pointer()
            problems.add(
                "namespace-separator", at, namespace=excerpt(namespace), separator=separator
            )
    for one, other in _prefixed(first, separator, leads):
        at = Where(Where(here, first[other].index), "namespace").pointer()
        problems.add("namespace-prefix", at, one=excerpt(one), other=excerpt(other))


def _prefixed(namespaces: Iterable[str], separator: str, leads: bool) -> Iterable[tuple[str, str]]:
    """Pairs of namespaces of which one, with its separator, begins (or ends) the other.

    In sorted order the beginnings of a text stand before it, the longest one last.
    """
    ends = {name + separator if leads else (separator + name)[::-1]: name for name in namespaces}
    beginnings: list[str] = []
    for end in sorted(ends):
        while beginnings and not end.startswith(beginnings[-1]):
            beginnings.pop()
        if beginnings:
            yield ends[beginnings[-1]], ends[end]
        beginnings.append(end)


def _check_namespace_sizes(
    lock: Layout, unique: tuple[Constraint, ...], where: Where, problems: Problems
) -> None:
    """Note a namespace with which even the shortest lock key would be over its limit."""
    for rule in {rule.namespace: rule for rule in reversed(unique)}.values():
        for attribute, template in lock.templates:
            filled = template.with_filled("namespace", rule.namespace)
            size = len("".join(filled.literals).encode()) + len(filled.names)
            if size > attribute.limit:
                problems.add(
                    "lock-namespace-long",
                    Where(Where(Where(where, "unique"), rule.index), "namespace").pointer(),
                    namespace=excerpt(rule.namespace),
                    role=attribute.role,
                    count=size,
                    limit=attribute.limit,
                )


def _separator(lock: Layout) -> tuple[str, bool]:
    """The literal between {namespace} and {value} in one template, and whether namespace leads."""
    for _, template in lock.templates:
        if set(template.names) == set(PLACEHOLDERS):
            return template.literals[1], template.names[0] == "namespace"
    return "", True


def _check_shared(unique: tuple[Constraint, ...], where: Where, problems: Problems) -> None:
    first: dict[str, Constraint] = {}
    twins: dict[tuple[str, tuple[str, ...]], int] = {}
    here = Where(where, "unique")
    for rule in unique:
        twin = twins.setdefault((rule.namespace, rule.attributes), rule.index)
        other = first.setdefault(rule.namespace, rule)
        difference = None if other is rule else _difference(rule, other)
        at = Where(here, rule.index)
        if difference:
            problems.add(
                "namespace-shared",
                Where(at, "namespace").pointer(),
                namespace=excerpt(rule.namespace),
                difference=difference,
            )
        elif twin != rule.index:
            problems.add("constraint-twice", at.pointer(), other=twin + 1)


def _difference(rule: Constraint, other: Constraint) -> str | None:
    if len(rule.attributes) != len(other.attributes):
        return "their number of attributes"
    if rule.normalize != other.normalize:
        return "their normalisation"
    return None if rule.digest == other.digest else "their digest"


def _warnings(
    record: Layout, lock: Layout, unique: tuple[Constraint, ...], where: Where
) -> Iterable[Problem]:
    here = Where(where, "unique")
    if not unique:
        yield Problem("nothing-unique", here.pointer(), {})
    for attribute, template in record.templates:
        if "" in template.literals[1:-1]:
            at = Where(Where(where, "record"), attribute.role).pointer()
            yield Problem("placeholder-adjacent", at, {"given": excerpt(template.text)})
    if not any(template.names for _, template in record.templates):
        at = Where(Where(where, "record"), "partition").pointer()
        yield Problem("record-constant", at, {})
    if "value" not in lock.partition.names:
        yield Problem("hot-partition", Where(Where(where, "lock"), "partition").pointer(), {})
    for rule in unique:
        if rule.digest == "sha256":
            at = Where(Where(here, rule.index), "digest").pointer()
            yield Problem("digest-guessable", at, {"namespace": excerpt(rule.namespace)})
