import { A2AError, type FieldViolation } from '../core/model/errors.ts';
import type { Api, Issue, Validator } from '../gen/api.ts';
import { formatPath, normalize } from './protojson.ts';

/** Violations that one error names at most. */
const maxViolations = 20;

/**
 * Reads ProtoJSON from outside: converts it to canonical form and validates it.
 *
 * @param typeName full message name, such as `lf.a2a.v1.SendMessageRequest`
 * @param value parsed JSON, or the result of `decode` in protobuf.ts
 * @param path of the value within the request, for errors
 * @returns the canonical value, which is `value` itself when that was canonical
 * @throws A2AError `invalidParams`, naming the faulty fields as in `message.parts[0].text`
 */
export function parseAs<T = unknown>(api: Api, typeName: string, value: unknown, path = ''): T {
  const canonical = normalize(api, typeName, value);
  parseWith(validatorOf(api, typeName), canonical, path);
  return canonical as T;
}

/**
 * Reads JSON of a dialect that has no ProtoJSON form.
 *
 * @param path of the value within the request, for errors
 * @returns the value without keys that the schema does not know
 * @throws A2AError `invalidParams`, naming the faulty fields
 */
export function parseWith<T = unknown>(validator: Validator, value: unknown, path = ''): T {
  const result = validator.safeParse(value);
  if (result.success) return result.data as T;
  const found = violations(result.error.issues, path);
  const [first] = found;
  const reason = first ? `${first.field || 'The value'} ${first.description}` : 'they are not valid';
  throw A2AError.invalidParams(`Invalid parameters: ${reason}`, found);
}

/** The violations of a value that should be canonical ProtoJSON of a type; none when it is. */
export function violationsOf(api: Api, typeName: string, value: unknown): FieldViolation[] {
  const result = validatorOf(api, typeName).safeParse(value);
  return result.success ? [] : violations(result.error.issues, '');
}

function validatorOf(api: Api, typeName: string): Validator {
  const validator = api.validators[typeName];
  if (!validator) throw new Error(`no validator for ${typeName}`);
  return validator;
}

function violations(issues: readonly Issue[], prefix: string): FieldViolation[] {
  const start = prefix === '' ? [] : [prefix];
  return issues.slice(0, maxViolations).map((issue) => ({
    field: formatPath([...start, ...issue.path]),
    description: issue.message,
  }));
}
