import { isDeepStrictEqual } from 'node:util';
import { isMap, membersOf, NotUnderstood, type Value, valuesAt } from './values.ts';

/** A value that is not as a test expects it. */
export interface Mismatch {
  /** Its place in the answer; '' is the answer itself. */
  readonly path: string;
  readonly expected: Value;
  readonly actual: Value;
}

/** Compares a value with what an operator expects of it. */
type Operator = (actual: Value, expected: Value, path: string) => readonly Mismatch[];

const typeOf = (value: Value): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : value === undefined ? 'absent' : typeof value;

const types: readonly Value[] = ['string', 'number', 'boolean', 'array', 'object', 'null'];

/** An operator that is a condition, with the check of its argument. */
const holds = (
  isArgument: (expected: Value) => boolean,
  condition: (actual: Value, expected: never) => boolean,
): Entry => ({
  isArgument,
  compare: (actual, expected, path) => (condition(actual, expected as never) ? [] : [{ path, expected, actual }]),
});

interface Entry {
  readonly isArgument: (expected: Value) => boolean;
  readonly compare: Operator;
}

const isText = (value: Value): boolean => typeof value === 'string';
const isNumber = (value: Value): boolean => typeof value === 'number';
const isTrue = (value: Value): boolean => value === true;
const isList = (value: Value): boolean => Array.isArray(value);
const onText = (condition: (actual: string, expected: string) => boolean): Entry =>
  holds(isText, (actual, expected) => typeof actual === 'string' && condition(actual, expected));
const onNumber = (condition: (actual: number, expected: number) => boolean): Entry =>
  holds(isNumber, (actual, expected) => typeof actual === 'number' && condition(actual, expected));
const onCount = (condition: (actual: number, expected: number) => boolean): Entry =>
  holds(isNumber, (actual, expected) => Array.isArray(actual) && condition(actual.length, expected));

const some: Operator = (actual, expected, path) =>
  (expected as Value[]).some((one) => mismatches(actual, one, path).length === 0) ? [] : [{ path, expected, actual }];

/** Each element by a map of assertions, or those at the places of a list by its entries. */
const items: Operator = (actual, expected, path) => {
  if (!Array.isArray(actual)) return [{ path, expected, actual }];
  if (Array.isArray(expected)) return mismatches(actual, expected, path);
  return actual.flatMap((each, index) => mismatches(each, expected, `${path}[${index}]`));
};

/** The operators of ACTS (section 5.1), and `items`, which its files use. */
const operators = new Map<string, Entry>([
  [
    'type',
    holds(
      (expected) => types.includes(expected),
      (actual, expected) => typeOf(actual) === expected,
    ),
  ],
  ['exists', holds(isTrue, (actual) => actual !== undefined)],
  ['absent', holds(isTrue, (actual) => actual === undefined)],
  ['contains', onText((actual, expected) => actual.includes(expected))],
  ['matches', onText((actual, expected) => new RegExp(expected).test(actual))],
  ['starts_with', onText((actual, expected) => actual.startsWith(expected))],
  ['ends_with', onText((actual, expected) => actual.endsWith(expected))],
  ['gte', onNumber((actual, expected) => actual >= expected)],
  ['lte', onNumber((actual, expected) => actual <= expected)],
  ['gt', onNumber((actual, expected) => actual > expected)],
  ['lt', onNumber((actual, expected) => actual < expected)],
  ['count', onCount((actual, expected) => actual === expected)],
  ['count_gte', onCount((actual, expected) => actual >= expected)],
  ['count_lte', onCount((actual, expected) => actual <= expected)],
  ['one_of', { isArgument: isList, compare: some }],
  ['any_of', { isArgument: isList, compare: some }],
  [
    'all_of',
    {
      isArgument: isList,
      compare: (actual, expected, path) => (expected as Value[]).flatMap((one) => mismatches(actual, one, path)),
    },
  ],
  [
    'not',
    {
      isArgument: () => true,
      compare: (actual, expected, path) =>
        mismatches(actual, expected, path).length > 0 ? [] : [{ path, expected: { not: expected }, actual }],
    },
  ],
  ['items', { isArgument: (expected) => isList(expected) || isMap(expected), compare: items }],
]);

/**
 * Returns the places where a value is not as expected: a scalar is equal, a list has these assertions for its first elements,
 * and a map has operators, which all hold, or assertions for members. A member may have an operator's name, such as `type`, with a map.
 *
 * @throws NotUnderstood for an operator whose argument has another form
 */
export function mismatches(actual: Value, expected: Value, path = ''): readonly Mismatch[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [{ path, expected, actual }];
    return expected.flatMap((each, index) => mismatches(actual[index], each, `${path}[${index}]`));
  }
  if (!isMap(expected)) return isDeepStrictEqual(actual, expected) ? [] : [{ path, expected, actual }];
  return Object.entries(expected).flatMap(([key, each]) => {
    const operator = operators.get(key);
    if (operator?.isArgument(each)) return operator.compare(actual, each, path);
    if (operator !== undefined && !isMap(each)) throw new NotUnderstood(`${key}: ${JSON.stringify(each)}`);
    return mismatches(isMap(actual) ? actual[key] : undefined, each, path === '' ? key : `${path}.${key}`);
  });
}

/** Returns the places where a named assertion (section 5.5), whose variables are in place, does not hold. */
export function namedMismatches(assertion: Value): readonly Mismatch[] {
  const known = ['id', 'description', 'source', 'path', 'match', 'any', 'all', 'none'];
  const { source, path, match, any, all, none } = membersOf(assertion, known, 'an assertion');
  const at = typeof path === 'string' ? valuesAt(source, path)[0] : source;
  const checks: (readonly Mismatch[])[] = [];
  if (match !== undefined) checks.push(mismatches(at, match, typeof path === 'string' ? path : ''));
  if (any !== undefined) checks.push(collection(at, any, 'any', (matching) => matching > 0));
  if (all !== undefined) checks.push(collection(at, all, 'all', (matching, count) => matching === count));
  if (none !== undefined) checks.push(collection(at, none, 'none', (matching) => matching === 0));
  if (checks.length === 0) throw new NotUnderstood('an assertion without match, any, all and none');
  return checks.flat();
}

function collection(
  source: Value,
  condition: Value,
  quantifier: string,
  isMet: (matching: number, count: number) => boolean,
): readonly Mismatch[] {
  const { path, match } = membersOf(condition, ['path', 'match'], quantifier);
  if (typeof path !== 'string' || match === undefined) throw new NotUnderstood(`${quantifier} without path and match`);
  const elements = valuesAt(source, path);
  const matching = elements.filter((each) => mismatches(each, match).length === 0).length;
  return isMet(matching, elements.length) ? [] : [{ path, expected: { [quantifier]: match }, actual: elements }];
}
