"""What each statement of the stores would touch, were the tables distributed as docs/scale.md says.

PostgreSQL's own parser reads them (pglast). A table of a statement is held when the column it is
distributed by is equal to a parameter, by itself or through other columns, among the conditions that all
hold at its level of the statement, or at one around it. Whatever is not seen to be held counts as crossing.
"""
import dataclasses
import pathlib
import re

import pglast
from pglast import ast, enums

TOP = pathlib.Path(__file__).resolve().parents[2]
DISTRIBUTED, REFERENCE, LOCAL = "create_distributed_table", "create_reference_table", "citus_add_local_table_to_metadata"


def statements_of(text):
    """(name, SQL) of a file's statements, with the parts that they use."""
    words = re.split(r"^-- (name|part): (\w+)$", text, flags=re.MULTILINE)[1:]
    parts = {}
    for kind, name, sql in zip(words[::3], words[1::3], words[2::3]):
        whole = re.sub(r"^[ \t]*-- use: (\w+)$", lambda used: parts[used[1]], sql, flags=re.MULTILINE)
        if kind == "part":
            parts[name] = whole
        else:
            yield name, whole


def statements():
    """(name, SQL) of every statement of the stores."""
    for path in sorted((TOP / "server/store").glob("*/*.sql")):
        yield from statements_of(path.read_text())


@dataclasses.dataclass
class Table:
    columns: list
    unique: list = dataclasses.field(default_factory=list)  # lists of columns
    parent: str = None  # of a partition


def names(keys):
    return [key.sval if isinstance(key, ast.String) else key.name for key in keys]


def read_table(create):
    table = Table([], parent=create.inhRelations[0].relname if create.partbound else None)
    for element in create.tableElts or ():
        constraints = [element] if isinstance(element, ast.Constraint) else element.constraints or ()
        if isinstance(element, ast.ColumnDef):
            table.columns.append(element.colname)
        for c in constraints:
            if c.contype in (enums.ConstrType.CONSTR_PRIMARY, enums.ConstrType.CONSTR_UNIQUE):
                table.unique.append(names(c.keys) if c.keys else [element.colname])
    return table


def tables():
    """Of all migrations, by name."""
    found = {}
    for path in sorted((TOP / "migrations").glob("*.sql")):
        for raw in pglast.parse_sql(path.read_text()):
            if isinstance(raw.stmt, ast.CreateStmt):
                found[raw.stmt.relation.relname] = read_table(raw.stmt)
            if isinstance(raw.stmt, ast.IndexStmt) and raw.stmt.unique:
                found[raw.stmt.relation.relname].unique.append(names(raw.stmt.indexParams))
    return found


def distribution(text):
    """From the SQL of the page: (table: column) of those distributed, (table: co-located with), references and what lies in one place."""
    columns, partners, references = {}, {}, set()
    for function, arguments in re.findall(rf"select ({DISTRIBUTED}|{REFERENCE}|{LOCAL})\((.*?)\);", text):
        words = re.findall(r"'(\w+)'", arguments)
        if function != DISTRIBUTED:
            references.add(words[0])
            continue
        columns[words[0]] = words[1]
        partners[words[0]] = words[2] if words[2:] and words[2] != "none" else words[0]
    return columns, partners, references


# --- one statement

class Held:
    """Classes of equal columns and parameters."""

    def __init__(self, parent=None):
        self.of = dict(parent.of) if parent else {}

    def join(self, a, b):
        a, b = self.of.get(a, frozenset([a])), self.of.get(b, frozenset([b]))
        for member in a | b:
            self.of[member] = a | b

    def parameter(self, term):
        """What holds the term: "$1", "any $1", or None."""
        held = sorted(t for t in self.of.get(term, [term]) if isinstance(t, str))
        return held[0] if held else None


class Level:
    """One SELECT, UPDATE, DELETE or INSERT of a statement, and what stands in it."""

    def __init__(self, check, parent=None):
        self.check, self.parent = check, parent
        self.relations = {}  # alias: (number, table)
        self.held = Held(parent and parent.held)

    def add(self, relation):
        alias = relation.alias.aliasname if relation.alias else relation.relname
        table = relation.relname if relation.relname in self.check.tables else None
        self.relations[alias] = len(self.check.found), table
        self.check.found.append((table, None))

    def column(self, alias, name):
        if alias is None:
            owners = [a for a, (_, table) in self.relations.items()
                      if table and name in self.check.tables[table].columns]
            alias = owners[0] if len(owners) == 1 else None
        if alias in self.relations:
            return self.relations[alias][0], name
        return self.parent.column(alias, name) if self.parent else None

    def term(self, node):
        """A column, or a parameter; else None."""
        while isinstance(node, ast.TypeCast):
            node = node.arg
        if isinstance(node, ast.ParamRef):
            return f"${node.number}"
        if isinstance(node, ast.ColumnRef) and all(isinstance(f, ast.String) for f in node.fields):
            parts = [f.sval for f in node.fields]
            return self.column(parts[0] if len(parts) == 2 else None, parts[-1])
        return None

    def take(self, condition):
        """Conditions that all hold."""
        if isinstance(condition, ast.BoolExpr) and condition.boolop == enums.BoolExprType.AND_EXPR:
            for arg in condition.args:
                self.take(arg)
        elif isinstance(condition, ast.A_Expr) and names(condition.name) == ["="]:
            a, b = self.term(condition.lexpr), self.term(condition.rexpr)
            if condition.kind == enums.A_Expr_Kind.AEXPR_OP_ANY and isinstance(b, str):
                b = f"any {b}"
            elif condition.kind != enums.A_Expr_Kind.AEXPR_OP:
                return
            if a and b:
                self.held.join(a, b)

    def source(self, node):
        """An item of FROM; what is a query of its own comes later, when the conditions are known."""
        if isinstance(node, ast.RangeVar):
            self.add(node)
        elif isinstance(node, ast.JoinExpr):
            later = [*self.source(node.larg), *self.source(node.rarg)]
            self.take(node.quals)
            return later
        elif isinstance(node, ast.RangeSubselect):
            return [node.subquery]
        return []

    def settle(self):
        for number, table in self.relations.values():
            key = self.check.columns.get(table)
            if key:
                self.check.found[number] = table, self.held.parameter((number, key))


class Check:
    """`found`: for each place a table has in the statement, (table, what holds it)."""

    def __init__(self, sql, known, columns):
        self.tables, self.columns, self.found = known, columns, []
        (raw,) = pglast.parse_sql(sql)
        self.read(raw.stmt, None)

    def read(self, node, parent):
        if isinstance(node, ast.SelectStmt) and node.larg:
            self.read_with(node, parent)
            self.read(node.larg, parent)
            self.read(node.rarg, parent)
        elif isinstance(node, ast.SelectStmt):
            self.query(node, node.fromClause or (), parent)
        elif isinstance(node, ast.UpdateStmt):
            self.query(node, (node.relation, *(node.fromClause or ())), parent)
        elif isinstance(node, ast.DeleteStmt):
            self.query(node, (node.relation, *(node.usingClause or ())), parent)
        elif isinstance(node, ast.InsertStmt):
            self.insert(node, parent)
        elif isinstance(node, (ast.LockStmt, ast.TruncateStmt)):
            self.found += [(self.tables[r.relname].parent or r.relname, None) for r in node.relations]
        elif not isinstance(node, (ast.TransactionStmt, ast.VariableSetStmt)):
            raise TypeError(f"a statement of a kind not known here: {type(node).__name__}")

    def read_with(self, node, parent):
        for common in node.withClause.ctes if node.withClause else ():
            self.read(common.ctequery, parent)

    def query(self, node, sources, parent):
        self.read_with(node, parent)
        level = Level(self, parent)
        later = [query for source in sources for query in level.source(source)]
        level.take(node.whereClause)
        level.settle()
        for query in [*later, *queries_in(node)]:
            self.read(query, level)
        return level

    def insert(self, node, parent):
        self.read_with(node, parent)
        select, number = node.selectStmt, len(self.found)
        table = node.relation.relname
        self.found.append((table, None))
        key = self.columns.get(table)
        place = names(node.cols).index(key) if key else None
        if select.valuesLists:
            level, values = Level(self, parent), select.valuesLists[0]
        else:
            level = self.query(select, select.fromClause or (), parent)
            values = [target.val for target in select.targetList]
        term = level.term(values[place]) if key and place < len(values) else None
        if term:
            self.found[number] = table, level.held.parameter(term)


def queries_in(node):
    """Queries in the expressions of one level."""
    if isinstance(node, ast.SubLink):
        yield node.subselect
        return
    for name in node if isinstance(node, ast.Node) else ():
        if name in ("fromClause", "usingClause", "withClause", "larg", "rarg") and not isinstance(node, ast.A_Expr):
            continue
        value = getattr(node, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, ast.SelectStmt):
                continue
            for part in item if isinstance(item, tuple) else (item,):
                if isinstance(part, ast.Node):
                    yield from queries_in(part)


def crossings(found, columns, partners):
    """Why a statement may touch several shards; empty when it touches one."""
    held = {(partners[table], by) for table, by in found if table in columns}
    groups = {group for group, _ in held}
    why = [f"{table} is not held" for table, by in found if table in columns and by is None]
    why += [f"{table}: several at once" for table, by in found if by and by.startswith("any")]
    if len(groups) > 1:
        why.append("tables that are not together: " + ", ".join(sorted(groups)))
    elif len(held) > 1 and not why:
        why.append("held by different parameters")
    return sorted(set(why))
