import { type CelFunc, type CelType, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { suggestionFor } from '../../config/suggest.ts';
import { own } from '../../core/model/json.ts';
import { type CallFacts, maxMembers } from './facts.ts';

type Parsed = ReturnType<typeof parse>;
type Expr = Parsed['expr'];
type Kind<K extends Expr['exprKind']['case']> = Extract<Expr['exprKind'], { case: K }>['value'];

/** Type of CEL: its name, the type of a list's members, and the fields of a mapping that has fixed ones. */
interface Type {
  readonly name: string;
  readonly items?: Type;
  readonly fields?: Readonly<Record<string, Type>>;
}

const string: Type = { name: 'string' };
const bool: Type = { name: 'bool' };
const int: Type = { name: 'int' };
const dyn: Type = { name: 'dyn' };
const map: Type = { name: 'map' };
const strings: Type = { name: 'list', items: string };

/** Variables of conditions, with their types. */
const variables: Readonly<Record<keyof CallFacts['data'], Type>> = {
  caller: { name: 'caller', fields: { id: string, anonymous: bool, scopes: strings, attributes: map } },
  tenant: string,
  agent: string,
  skill: string,
  operation: string,
  dialect: string,
  binding: string,
  task: { name: 'task', fields: { id: string, contextId: string, state: string } },
  size: int,
  mediaTypes: strings,
  metadata: map,
  messageMetadata: map,
  requestMetadata: map,
  extensions: strings,
  now: { name: 'google.protobuf.Timestamp' },
  path: strings,
};

export type VariableName = keyof typeof variables;

/** Names of types, which CEL also treats as values. */
const typeNames: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'type',
  'uint',
]);

/** Most characters of an expression, and most levels of nested brackets. */
const maxLength = 4_096;
const maxNesting = 32;
/** Most steps of one evaluation if every list and mapping of a call has as many members as it may have. */
const maxSteps = 50_000;

const env = celEnv();
const functions = Map.groupBy<string, CelFunc>(env.funcs as Iterable<CelFunc>, ({ name }) => name);

type Scope = ReadonlyMap<string, Type>;

interface Checked {
  readonly type: Type;
  readonly steps: number;
}

/** A compiled condition. */
export interface Condition {
  /** Decides about a call. Returns an error if the condition cannot be evaluated. */
  readonly holds: (facts: CallFacts) => boolean | Error;
  /** Variables that the condition names. */
  readonly names: ReadonlySet<VariableName>;
}

/**
 * Parses, checks and plans a condition. The library only evaluates it: this code checks types and limits. Throws an Error that
 * names the fault and its place in the expression.
 */
export function compileCondition(text: string): Condition {
  if (text.length > maxLength) throw new Error(`it is longer than ${maxLength} characters`);
  if (nestingOf(text) > maxNesting) throw new Error(`its brackets are nested more than ${maxNesting} deep`);
  const parsed = parsedFrom(text);
  const check = new Check(text, parsed);
  const { type, steps } = check.of(parsed.expr, new Map());
  if (!fits(type, bool)) throw new Error(`it is ${shown(type)}, and a condition must be a bool`);
  if (steps > maxSteps)
    throw new Error(
      `it may take ${steps} steps, and ${maxSteps} is the most: lists of a call count as ${maxMembers} members`,
    );
  const evaluate = plan(env, parsed);
  const holds = ({ data }: CallFacts): boolean | Error => {
    const value = evaluate(data as unknown as Parameters<typeof evaluate>[0]);
    if (typeof value === 'boolean') return value;
    return isCelError(value) ? value : new Error('it is not a bool');
  };
  return { holds, names: check.names };
}

/** Fault of a condition, with its path in the configuration. */
export interface ConditionProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Compiles the conditions of a list in a configuration. A faulty condition is added to `problems`, and holds for every call. */
export function conditionsOf(section: string, problems: ConditionProblem[]) {
  return (index: number, key: string, text: string): Condition => {
    try {
      return compileCondition(text);
    } catch (thrown) {
      problems.push({ path: [section, `${index}`, key], message: (thrown as Error).message });
      return compileCondition('true');
    }
  };
}

/**
 * Verdict of a condition on a call. `unknown`: the condition reads a variable that has no value. An error: the condition cannot
 * be evaluated.
 */
export type Verdict = 'yes' | 'no' | 'unknown' | Error;

/** @param known the variables that have a value. Absent: all */
export function verdictOf({ holds, names }: Condition, facts: CallFacts, known?: ReadonlySet<VariableName>): Verdict {
  if (known) for (const name of names) if (!known.has(name)) return 'unknown';
  try {
    const verdict = holds(facts);
    if (typeof verdict !== 'boolean') return verdict;
    return verdict ? 'yes' : 'no';
  } catch (thrown) {
    return thrown as Error;
  }
}

function parsedFrom(text: string): Parsed {
  try {
    return parse(text);
  } catch (thrown) {
    const { rawMessage, location, message } = thrown as Error & {
      rawMessage?: string;
      location?: { start: { offset: number } };
    };
    if (thrown instanceof RangeError) throw new Error('it is nested too deeply', { cause: thrown });
    const at = location ? `at ${placeIn(text, location.start.offset)}: ` : '';
    throw new Error(`${at}${rawMessage ?? message}`, { cause: thrown });
  }
}

/** Returns the depth of nested brackets, including those in texts. The parser needs much stack for each. */
function nestingOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const char of text) {
    if ('([{'.includes(char)) depth += 1;
    if (')]}'.includes(char)) depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function placeIn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  const column = `character ${(lines.at(-1)?.length ?? 0) + 1}`;
  return text.trimEnd().includes('\n') ? `line ${lines.length}, ${column}` : column;
}

/** Finds the type of an expression, its unknown names, and the steps that it may take. */
class Check {
  readonly names = new Set<VariableName>();
  readonly #text: string;
  readonly #positions: Readonly<Record<string, number>>;

  constructor(text: string, { sourceInfo }: Parsed) {
    this.#text = text;
    this.#positions = sourceInfo?.positions ?? {};
  }

  of(expr: Expr, scope: Scope): Checked {
    const { case: kind, value } = expr.exprKind;
    if (kind === 'constExpr') {
      return { type: constantTypes[value.constantKind.case ?? ''] ?? { name: 'null_type' }, steps: 1 };
    }
    if (kind === 'identExpr') return { type: this.#ident(expr, value.name, scope), steps: 1 };
    if (kind === 'selectExpr') return this.#select(expr, value, scope);
    if (kind === 'callExpr') return this.#call(expr, value, scope);
    if (kind === 'listExpr') return this.#list(value, scope);
    if (kind === 'structExpr') return this.#struct(expr, value, scope);
    if (kind === 'comprehensionExpr') return this.#comprehension(expr, value, scope);
    throw this.#fault(expr, 'this is not a part of an expression');
  }

  #fault(expr: Expr, message: string): Error {
    const offset = this.#positions[`${expr.id}`];
    return new Error(offset === undefined ? message : `at ${placeIn(this.#text, offset)}: ${message}`);
  }

  #ident(expr: Expr, name: string, scope: Scope): Type {
    const local = scope.get(name);
    if (local) return local;
    if (Object.hasOwn(variables, name)) {
      this.names.add(name as VariableName);
      return variables[name as VariableName];
    }
    if (typeNames.has(name)) return { name: 'type' };
    throw this.#fault(expr, `there is no variable "${name}"; ${suggestionFor(name, Object.keys(variables))}`);
  }

  #select(expr: Expr, { operand, field, testOnly }: Kind<'selectExpr'>, scope: Scope): Checked {
    const { type, steps } = this.of(operand as Expr, scope);
    const { fields } = type;
    if (!fields && type !== dyn && type.name !== 'map') throw this.#fault(expr, `${shown(type)} has no fields`);
    const found = fields ? own(fields, field) : dyn;
    if (!found)
      throw this.#fault(
        expr,
        `${type.name} has no field "${field}"; ${suggestionFor(field, Object.keys(fields ?? {}))}`,
      );
    return { type: testOnly ? bool : found, steps: steps + 1 };
  }

  #list({ elements }: Kind<'listExpr'>, scope: Scope): Checked {
    const items = elements.map((element) => this.of(element, scope));
    const [first = { type: dyn }] = items;
    const same = items.every(({ type }) => type.name === first.type.name);
    return { type: { name: 'list', items: same ? first.type : dyn }, steps: sum(items) };
  }

  #struct(expr: Expr, { messageName, entries }: Kind<'structExpr'>, scope: Scope): Checked {
    if (messageName !== '') throw this.#fault(expr, `there is no type "${messageName}"`);
    const parts = entries.flatMap(({ keyKind, value }) => [
      ...(keyKind.case === 'mapKey' ? [this.of(keyKind.value, scope)] : []),
      ...(value ? [this.of(value, scope)] : []),
    ]);
    return { type: map, steps: sum(parts) };
  }

  /** Checks the macros `all`, `exists`, `exists_one`, `map` and `filter`. */
  #comprehension(expr: Expr, loop: Kind<'comprehensionExpr'>, scope: Scope): Checked {
    const { iterRange, iterVar, iterVar2, accuVar, accuInit, loopCondition, loopStep, result } = loop;
    const range = this.of(iterRange as Expr, scope);
    const { type } = range;
    if (type !== dyn && type.name !== 'list' && type.name !== 'map')
      throw this.#fault(expr, `expected a list or a mapping, and this is ${shown(type)}`);
    const start = this.of(accuInit as Expr, scope);
    const after = new Map([
      ...scope,
      [accuVar, start.type.name === 'list' ? { name: 'list', items: dyn } : start.type],
    ]);
    const inside = new Map([...after, [iterVar, type.items ?? dyn], ...(iterVar2 ? ([[iterVar2, dyn]] as const) : [])]);
    const body = [loopCondition, loopStep].map((part) => this.of(part as Expr, inside));
    const end = this.of(result as Expr, after);
    const list = iterRange?.exprKind.case === 'listExpr' ? iterRange.exprKind.value.elements.length : maxMembers;
    return { type: end.type, steps: range.steps + start.steps + end.steps + list * sum(body) };
  }

  #call(expr: Expr, { function: name, target, args }: Kind<'callExpr'>, scope: Scope): Checked {
    const parts = [...(target ? [target] : []), ...args].map((part) => this.of(part, scope));
    const [one = dyn, two = dyn, three = dyn] = parts.map(({ type }) => type);
    return { type: this.#result(expr, name, target !== undefined, [one, two, three], args), steps: sum(parts) };
  }

  #result(expr: Expr, name: string, isMethod: boolean, types: [Type, Type, Type], args: readonly Expr[]): Type {
    const [one, two, three] = types;
    const need = (type: Type, wanted: Type): void => {
      if (!fits(type, wanted)) throw this.#fault(expr, `expected ${shown(wanted)}, and this is ${shown(type)}`);
    };
    if (name === '_&&_' || name === '_||_') {
      for (const type of types.slice(0, args.length)) need(type, bool);
      return bool;
    }
    if (name === '@not_strictly_false') return bool;
    if (name === '_?_:_') {
      need(one, bool);
      return two.name === three.name ? two : dyn;
    }
    if (name === '_[_]') {
      if (one.fields) throw this.#fault(expr, `the fields of ${one.name} are read with a dot`);
      if (one !== dyn && one.name !== 'map' && one.name !== 'list')
        throw this.#fault(expr, `${shown(one)} has no members`);
      return one.items ?? dyn;
    }
    if (name === '_==_' || name === '_!=_') {
      const alike = fits(one, two) || fits(two, one) || (numbers.has(one.name) && numbers.has(two.name));
      if (!alike) throw this.#fault(expr, `${shown(one)} is never equal to ${shown(two)}`);
      return bool;
    }
    if (name === '@in' && two.items && !fits(one, two.items) && !fits(two.items, one))
      throw this.#fault(expr, `${shown(one)} is never in a list of ${two.items.name}`);
    // Each evaluation compiles the pattern, which could be of any size if a caller chose it.
    if (name === 'matches') this.#requirePattern(expr, args);
    return this.#overload(expr, name, isMethod, types.slice(0, args.length + (isMethod ? 1 : 0)));
  }

  #overload(expr: Expr, name: string, isMethod: boolean, given: readonly Type[]): Type {
    const group = functions.get(name);
    if (!group) {
      const known = [...functions.keys()].filter((each) => /^\w+$/.test(each) && !each.startsWith('_'));
      throw this.#fault(expr, `there is no function "${name}"; ${suggestionFor(name, known)}`);
    }
    const results = group.flatMap(({ target, arguments: wanted, result }) => {
      const all = target ? [target, ...wanted] : wanted;
      const fitting = (target !== undefined) === isMethod && all.length === given.length;
      return fitting && given.every((type, at) => fits(type, typeOf(all[at] as CelType))) ? [typeOf(result)] : [];
    });
    const [first] = results;
    const word = name.replaceAll('_', '').replace('@', '');
    if (!first) throw this.#fault(expr, `${word} cannot be applied to ${given.map(shown).join(' and ') || 'nothing'}`);
    return results.every((each) => each.name === first.name) ? first : dyn;
  }

  #requirePattern(expr: Expr, args: readonly Expr[]): void {
    const pattern = args[0] && textOf(args[0]);
    if (pattern === undefined) throw this.#fault(expr, 'the pattern of matches must be a text of the policy');
    const tried = plan(env, parse(`''.matches(${JSON.stringify(pattern)})`))();
    if (isCelError(tried)) throw this.#fault(expr, tried.message);
  }
}

/** Returns a type with its article, for a message. */
const shown = ({ name }: Type): string => `${/^[aeiou]/.test(name) && name !== 'uint' ? 'an' : 'a'} ${name}`;

const numbers: ReadonlySet<string> = new Set(['int', 'uint', 'double']);

const sum = (parts: readonly Checked[]): number => parts.reduce((total, { steps }) => total + steps, 1);

const fits = (type: Type, wanted: Type): boolean => type === dyn || wanted === dyn || type.name === wanted.name;

const constantTypes: Readonly<Record<string, Type>> = {
  stringValue: string,
  boolValue: bool,
  int64Value: int,
  uint64Value: { name: 'uint' },
  doubleValue: { name: 'double' },
  bytesValue: { name: 'bytes' },
};

function typeOf(type: CelType): Type {
  if (type.kind === 'list') return { name: 'list', items: typeOf(type.element) };
  return [map, dyn].find(({ name }) => name === (type.kind === 'map' ? 'map' : type.name)) ?? { name: type.name };
}

/** Returns the text of a text literal. Undefined: the expression is no text literal. */
const textOf = ({ exprKind }: Expr): string | undefined =>
  exprKind.case === 'constExpr' && exprKind.value.constantKind.case === 'stringValue'
    ? exprKind.value.constantKind.value
    : undefined;
