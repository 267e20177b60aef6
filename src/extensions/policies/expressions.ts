import { isCelError, plan } from '@bufbuild/cel';
import { type JsonObject, own } from '../../core/model/json.ts';
import { checkedCondition, type Expr, env, textOf, type VariableName, variables } from './check.ts';
import { type CallFacts, judgedList, judgedText } from './facts.ts';

/** A condition that has been checked. Returns an error instead of a decision where it cannot be evaluated. */
export interface Condition {
  readonly holds: (facts: CallFacts) => boolean | Error;
  /** The variables that it names. */
  readonly names: ReadonlySet<VariableName>;
}

/** Checks and compiles a condition. Throws an Error that says what is wrong, and where in the expression. */
export function compileCondition(text: string): Condition {
  const { expr, names, macros } = checkedCondition(text);
  const compiler = new Compiler(macros);
  return { holds: compiler.compiled(expr), names };
}

type Holds = Condition['holds'];
/** Reads a value of a call, or why it cannot be judged. */
type Read<T> = (facts: CallFacts) => T | Error;

/** Variables that need not be converted to be compared. */
const plainStrings: Readonly<Record<string, (facts: CallFacts) => string>> = {
  agent: ({ agent }) => agent,
  tenant: ({ tenant }) => tenant,
  skill: ({ skill }) => skill,
  operation: ({ operation }) => operation,
  dialect: ({ dialect }) => dialect,
  binding: ({ binding }) => binding,
  'caller.id': ({ caller }) => caller.id,
  'task.id': ({ task }) => task.id,
  'task.contextId': ({ task }) => task.contextId,
  'task.state': ({ task }) => task.state,
};
const plainLists: Readonly<Record<string, (facts: CallFacts) => readonly string[]>> = {
  extensions: ({ extensions }) => extensions,
  mediaTypes: ({ mediaTypes }) => mediaTypes,
  path: ({ path }) => path,
  'caller.scopes': ({ caller }) => caller.scopes,
};

const plainMaps: Readonly<Record<string, (facts: CallFacts) => JsonObject>> = {
  metadata: ({ metadata }) => metadata,
  messageMetadata: ({ messageMetadata }) => messageMetadata,
  requestMetadata: ({ requestMetadata }) => requestMetadata,
};

/** Holds where two values can be judged and fit. */
const both =
  <A, B>(one: Read<A>, other: Read<B>, fits: (one: A, other: B) => boolean): Holds =>
  (facts) => {
    const first = one(facts);
    if (first instanceof Error) return first;
    const second = other(facts);
    return second instanceof Error ? second : fits(first, second);
  };

/** How two values of one type are compared. */
const comparisons: Readonly<Record<string, <T extends string | number>(left: T, right: T) => boolean>> = {
  '_==_': (left, right) => left === right,
  '_!=_': (left, right) => left !== right,
  '_<_': (left, right) => left < right,
  '_<=_': (left, right) => left <= right,
  '_>_': (left, right) => left > right,
  '_>=_': (left, right) => left >= right,
};
const methods: Readonly<Record<string, (text: string, other: string) => boolean>> = {
  startsWith: (text, other) => text.startsWith(other),
  endsWith: (text, other) => text.endsWith(other),
  contains: (text, other) => text.includes(other),
};

/** The path of a variable, such as `caller.id`. '': the expression is something else. */
const nameOf = ({ exprKind: { case: kind, value } }: Expr): string => {
  if (kind === 'identExpr') return value.name;
  return kind === 'selectExpr' && !value.testOnly ? `${nameOf(value.operand as Expr)}.${value.field}` : '';
};

/** A whole number that doubles can be compared with. */
function plainNumber({ exprKind }: Expr): number | undefined {
  if (exprKind.case !== 'constExpr' || exprKind.value.constantKind.case !== 'int64Value') return undefined;
  const number = Number(exprKind.value.constantKind.value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/**
 * Compiles checked expressions. Most policies compare a few strings, for which the library takes many times longer: those
 * comparisons, and the logic around them, are done here, and everything else by the library.
 */
class Compiler {
  readonly #macros: Readonly<Record<string, Expr>>;
  /** The current members of the lists that are searched. */
  readonly #locals = new Map<string, { member: string }>();

  constructor(macros: Readonly<Record<string, Expr>>) {
    this.#macros = macros;
  }

  compiled(expr: Expr): Holds {
    return this.#logic(expr, (part) => this.compiled(part)) ?? this.#native(expr) ?? evaluated(expr);
  }

  /** Without the library. Undefined: the expression needs it. */
  #native(expr: Expr): Holds | undefined {
    return this.#logic(expr, (part) => this.#native(part)) ?? this.#comparison(expr) ?? this.#search(expr);
  }

  /** Constants, `!`, `&&` and `||`. */
  #logic({ exprKind }: Expr, compile: (part: Expr) => Holds | undefined): Holds | undefined {
    const { case: kind, value } = exprKind;
    if (kind === 'constExpr' && value.constantKind.case === 'boolValue') {
      const constant = value.constantKind.value;
      return () => constant;
    }
    if (kind !== 'callExpr' || !['!_', '_&&_', '_||_'].includes(value.function)) return undefined;
    const parts = value.args.map(compile).filter((part) => part !== undefined);
    const [first] = parts;
    if (!first || parts.length < value.args.length) return undefined;
    if (value.function !== '!_') return anyOf(parts, value.function === '_||_');
    return (facts) => {
      const holds = first(facts);
      return typeof holds === 'boolean' ? !holds : holds;
    };
  }

  /** Of strings and of the size, and whether metadata has a key. */
  #comparison(expr: Expr): Holds | undefined {
    if (nameOf(expr) === 'caller.anonymous') return ({ caller }) => caller.anonymous;
    if (expr.exprKind.case === 'selectExpr' && expr.exprKind.value.testOnly) return presence(expr.exprKind.value);
    if (expr.exprKind.case !== 'callExpr') return undefined;
    const { function: name, target, args } = expr.exprKind.value;
    const [one, two] = target ? [target, ...args] : args;
    if (!one || !two) return undefined;
    const compare = own(target ? methods : comparisons, name);
    if (compare && nameOf(one) === 'size') {
      const number = plainNumber(two);
      const compareSize = own(comparisons, name);
      return number === undefined ? undefined : ({ size }) => compareSize?.(size, number) ?? false;
    }
    const left = this.#string(one);
    if (!left) return undefined;
    if (name === '@in') {
      const list = listIn(two);
      return list && both(left, list, (text, members) => members.includes(text));
    }
    const right = this.#string(two);
    return compare && right && both(left, right, (one, other) => compare(one, other));
  }

  /** `exists` and `all` of a list of strings. */
  #search(expr: Expr): Holds | undefined {
    const macro = this.#macros[`${expr.id}`]?.exprKind;
    if (macro?.case !== 'callExpr' || !['exists', 'all'].includes(macro.value.function)) return undefined;
    const { target, args, function: name } = macro.value;
    const [variable, body] = args;
    const list = target && listIn(target);
    const local = variable && nameOf(variable);
    // A name that is also a variable of the call, or of another search, is left to the library.
    if (
      !list ||
      !body ||
      !local ||
      own(plainStrings, local) ||
      Object.hasOwn(variables, local) ||
      this.#locals.has(local)
    )
      return undefined;
    const cell = { member: '' };
    this.#locals.set(local, cell);
    const holds = this.#native(body);
    this.#locals.delete(local);
    if (!holds) return undefined;
    const wanted = name === 'exists';
    return (facts) => {
      const members = list(facts);
      if (members instanceof Error) return members;
      for (const member of members) {
        cell.member = member;
        if (holds(facts) === wanted) return wanted;
      }
      return !wanted;
    };
  }

  /** A string that is a constant, a variable of the call or the member of a list. Undefined: anything else. */
  #string(expr: Expr): Read<string> | undefined {
    const text = textOf(expr);
    if (text !== undefined) return () => text;
    const name = nameOf(expr);
    const cell = this.#locals.get(name);
    if (cell) return () => cell.member;
    const read = own(plainStrings, name);
    return read && ((facts) => judgedText(read(facts)));
  }
}

function presence({
  operand,
  field,
}: {
  readonly operand?: Expr | undefined;
  readonly field: string;
}): Holds | undefined {
  const map = operand && own(plainMaps, nameOf(operand));
  if (!map) return undefined;
  return (facts) => {
    const value = own(map(facts), field);
    // null counts as absent, as it does for the library.
    return value instanceof Error ? value : (value ?? null) !== null;
  };
}

function listIn(expr: Expr): Read<readonly string[]> | undefined {
  if (expr.exprKind.case !== 'listExpr') {
    const read = own(plainLists, nameOf(expr));
    return read && ((facts) => judgedList(read(facts)));
  }
  const texts = expr.exprKind.value.elements.map(textOf);
  return texts.every((text) => text !== undefined) ? () => texts : undefined;
}

/** What one part decides by being `decisive`. An error counts only where no other part decides. */
const anyOf =
  (parts: readonly Holds[], decisive: boolean): Holds =>
  (facts) => {
    let failed: Error | undefined;
    for (const part of parts) {
      const holds = part(facts);
      if (holds === decisive) return holds;
      if (typeof holds !== 'boolean') failed ??= holds;
    }
    return failed ?? !decisive;
  };

function evaluated(expr: Expr): Holds {
  const evaluate = plan(env, expr);
  return ({ data }) => {
    const value = evaluate(data as unknown as Parameters<typeof evaluate>[0]);
    if (typeof value === 'boolean') return value;
    return isCelError(value) ? value : new Error('it is no bool');
  };
}
