import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { withTimeLimit } from '../core/limits/time-limit.ts';
import type { FieldViolation } from '../core/model/errors.ts';
import type { JsonObject } from '../core/model/json.ts';

/** Largest number of characters of a schema. A longer one is not compiled. */
const maxSchemaLength = 256 * 1024;
/** Milliseconds for compiling a schema, and for checking a value. */
const timeLimits = { compile: 1_000, check: 250 } as const;
/** Violations that are reported at the most. */
const maxViolations = 20;

/**
 * Options of the validator. Formats are left to the server, and unknown keywords are ignored. References within the schema are
 * followed; external references are never fetched, and make the schema unusable.
 */
const options: Options = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  allErrors: true,
  logger: false,
};

function compile(schema: JsonObject): ValidateFunction {
  if (JSON.stringify(schema).length > maxSchemaLength) throw new Error('the schema is too long');
  const { $schema: generation, ...rest } = schema;
  // Drafts before 2019-09 write tuples differently. MCP's default is 2020-12.
  const old = typeof generation === 'string' && /draft-0[4-7]/.test(generation);
  // A new compiler for each schema: schemas may share an $id, and are freed with their tool.
  return withTimeLimit(timeLimits.compile, () => (old ? new Ajv(options) : new Ajv2020(options)).compile(rest));
}

/** Path of the invalid value, such as `arguments.files[0].path`. */
function fieldOf({ instancePath, params }: ErrorObject, root: string): string {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Readonly<Record<string, unknown>>;
  const own = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  const keys = instancePath.split('/').slice(1);
  const path = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (typeof own === 'string') path.push(own);
  return path.reduce((field, key) => (/^\d+$/.test(key) ? `${field}[${key}]` : `${field}.${key}`), root);
}

/** Descriptions of violations that are clearer than the validator's. */
const descriptions: Readonly<Record<string, (params: JsonObject, what: string) => string>> = {
  required: () => 'is required',
  additionalProperties: (_, what) => `is not ${what}`,
  unevaluatedProperties: (_, what) => `is not ${what}`,
  enum: ({ allowedValues }) => `must be one of ${JSON.stringify(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
};

/** Names of the checked value, for descriptions of its violations. */
export interface CheckedNames {
  /** The path of the value, such as `arguments`. */
  readonly root: string;
  /** The term for one of its properties, such as `an argument of this tool`. */
  readonly property: string;
}

/** Returns the violations of a value. Throws if the check takes too long. */
export type SchemaCheck = (value: unknown) => readonly FieldViolation[];

/**
 * Compiles a schema. Throws for a schema that is unusable: malformed, too long, too slow, or with external references. Then only
 * its author can check values.
 */
export function schemaCheck(schema: JsonObject, { root, property }: CheckedNames): SchemaCheck {
  const validate = compile(schema);
  return (value) => {
    if (withTimeLimit(timeLimits.check, () => validate(value))) return [];
    const all = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
    validate.errors = null;
    return all.slice(0, maxViolations).map((error) => ({
      field: fieldOf(error, root),
      description:
        descriptions[error.keyword]?.(error.params, property) ?? error.message ?? 'does not match the schema',
    }));
  };
}

/** The reason why a schema cannot be used, from the error that `schemaCheck` threw. */
export const reasonOf = (thrown: unknown): string => {
  const { message, code } = thrown as NodeJS.ErrnoException;
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? 'it takes too long' : message;
};

/**
 * The violations of an answer to a question. None if the schema cannot be used: then the agent that asked must check the answer.
 */
export function checkAnswer(schema: JsonObject, value: unknown): readonly FieldViolation[] {
  try {
    return schemaCheck(schema, { root: 'answer', property: 'asked for' })(value);
  } catch {
    return [];
  }
}
