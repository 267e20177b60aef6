import { A2AError, type FieldViolation } from '../core/model/errors.ts';
import type { Api, Issue, Validator } from '../gen/api.ts';
import { formatPath, normalize } from './protojson.ts';

export { checkJson, type JsonLimits, parseJson, parseJsonText } from './json.ts';

/** As many violations as one error names. */
const maxViolations = 20;

/**
 * Takes in ProtoJSON from outside: brings it into canonical form and holds it against the message type.
 *
 * @param typeName full message name, such as `lf.a2a.v1.SendMessageRequest`
 * @param value parsed JSON, or what `decode` of protobuf.ts gives
 * @param path of the value within the request, for errors; '' by default
 * @returns the canonical value, which is `value` itself when that was canonical
 * @throws A2AError of kind `invalidParams`, naming the faulty fields as in `message.parts[0].text`
 */
export function parseAs<T = unknown>(api: Api, typeName: string, value: unknown, path = ''): T {
  const canonical = normalize(api, typeName, value);
  const validator = api.validators[typeName];
  if (!validator) throw new Error(`no validator for ${typeName}`);
  const result = validator.safeParse(canonical);
  if (!result.success) throw invalid(result.error.issues, path);
  return canonical as T;
}

/**
 * Takes in JSON of a dialect that has no ProtoJSON form.
 *
 * @param path of the value within the request, for errors; '' by default
 * @returns the value without keys that the shape does not know
 * @throws A2AError of kind `invalidParams`, naming the faulty fields
 */
export function parseWith<T = unknown>(validator: Validator, value: unknown, path = ''): T {
  const result = validator.safeParse(value);
  if (!result.success) throw invalid(result.error.issues, path);
  return result.data as T;
}

/**
 * Whether a value is canonical ProtoJSON of a type; for output of one's own and for tests.
 *
 * @returns the violations, none when it is
 */
export function violationsOf(api: Api, typeName: string, value: unknown): FieldViolation[] {
  const result = api.validators[typeName]?.safeParse(value);
  if (!result) throw new Error(`no validator for ${typeName}`);
  return result.success ? [] : violations(result.error.issues, '');
}

function violations(issues: readonly Issue[], prefix: string): FieldViolation[] {
  const start = prefix === '' ? [] : [prefix];
  return issues.slice(0, maxViolations).map((issue) => ({
    field: formatPath([...start, ...issue.path]),
    description: issue.message,
  }));
}

function invalid(issues: readonly Issue[], prefix: string): A2AError {
  const found = violations(issues, prefix);
  const [first] = found;
  const said = first ? `${first.field || 'The value'} ${first.description}` : 'they do not fit';
  return A2AError.invalidParams(`Invalid parameters: ${said}`, found);
}
