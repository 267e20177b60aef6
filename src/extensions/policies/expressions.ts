import { isCelError, plan } from '@bufbuild/cel';
import { checkedCondition, type Expr, env, textOf, type VariableName } from './check.ts';
import type { CallFacts } from './facts.ts';

/** A condition that has been checked. Returns an error instead of a decision where it cannot be evaluated. */
export interface Condition {
  readonly holds: (facts: CallFacts) => boolean | Error;
  /** The variables that it names. */
  readonly names: ReadonlySet<VariableName>;
}

/** Checks and compiles a condition. Throws an Error that says what is wrong, and where in the expression. */
export function compileCondition(text: string): Condition {
  const { expr, names } = checkedCondition(text);
  return { holds: compiled(expr), names };
}

type Read<T> = (facts: CallFacts) => T;

/** Variables that need not be converted to be compared. */
const plainStrings: Readonly<Record<string, Read<string>>> = {
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
const plainLists: Readonly<Record<string, Read<readonly string[]>>> = {
  extensions: ({ extensions }) => extensions,
  mediaTypes: ({ mediaTypes }) => mediaTypes,
  path: ({ path }) => path,
  'caller.scopes': ({ caller }) => caller.scopes,
};

const nameOf = ({ exprKind: { case: kind, value } }: Expr): string => {
  if (kind === 'identExpr') return value.name;
  return kind === 'selectExpr' && !value.testOnly ? `${nameOf(value.operand as Expr)}.${value.field}` : '';
};

const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** A string that is a constant or a variable of the call. Undefined: anything else. */
function plainString(expr: Expr | undefined): Read<string> | undefined {
  if (!expr) return undefined;
  const text = textOf(expr);
  return text === undefined ? own(plainStrings, nameOf(expr)) : () => text;
}

function plainList(expr: Expr | undefined): Read<readonly string[]> | undefined {
  if (expr?.exprKind.case !== 'listExpr') return expr && own(plainLists, nameOf(expr));
  const texts = expr.exprKind.value.elements.map(textOf);
  return texts.every((text) => text !== undefined) ? () => texts : undefined;
}

/** What compares strings of the call. Undefined: the expression is something else. */
function comparison(expr: Expr): Condition['holds'] | undefined {
  if (nameOf(expr) === 'caller.anonymous') return ({ caller }) => caller.anonymous;
  if (expr.exprKind.case !== 'callExpr') return undefined;
  const { function: name, target, args } = expr.exprKind.value;
  const left = plainString(target ?? args[0]);
  if (!left) return undefined;
  if (name === '@in') {
    const list = plainList(args[1]);
    return list && ((facts) => list(facts).includes(left(facts)));
  }
  const right = plainString(target ? args[0] : args[1]);
  if (!right) return undefined;
  if (name === '_==_') return (facts) => left(facts) === right(facts);
  if (name === '_!=_') return (facts) => left(facts) !== right(facts);
  if (name === 'startsWith') return (facts) => left(facts).startsWith(right(facts));
  if (name === 'endsWith') return (facts) => left(facts).endsWith(right(facts));
  return name === 'contains' ? (facts) => left(facts).includes(right(facts)) : undefined;
}

/**
 * The function that evaluates a checked expression. Most policies compare a few strings, for which the library takes many
 * times longer: those comparisons, and the logic around them, are done here, and everything else by the library.
 */
function compiled(expr: Expr): Condition['holds'] {
  const { case: kind, value } = expr.exprKind;
  if (kind === 'constExpr' && value.constantKind.case === 'boolValue') {
    const constant = value.constantKind.value;
    return () => constant;
  }
  if (kind === 'callExpr' && value.function === '!_' && value.args[0]) {
    const inner = compiled(value.args[0]);
    return (facts) => {
      const holds = inner(facts);
      return typeof holds === 'boolean' ? !holds : holds;
    };
  }
  if (kind === 'callExpr' && (value.function === '_&&_' || value.function === '_||_')) {
    const parts = value.args.map(compiled);
    const decides = value.function === '_||_';
    // An error counts only where no other part decides.
    return (facts) => {
      let failed: Error | undefined;
      for (const part of parts) {
        const holds = part(facts);
        if (holds === decides) return holds;
        if (typeof holds !== 'boolean') failed ??= holds;
      }
      return failed ?? !decides;
    };
  }
  return comparison(expr) ?? evaluated(expr);
}

function evaluated(expr: Expr): Condition['holds'] {
  const evaluate = plan(env, expr);
  return ({ data }) => {
    const value = evaluate(data as unknown as Parameters<typeof evaluate>[0]);
    if (typeof value === 'boolean') return value;
    return isCelError(value) ? value : new Error('it is no bool');
  };
}
