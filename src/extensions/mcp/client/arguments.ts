import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { withTimeLimit } from '../../../core/limits/time-limit.ts';
import type { FieldViolation } from '../../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../../core/model/json.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import type { Tool } from './tool-server.ts';

/** Characters of a schema at the most; a longer one is not compiled. */
const maxSchemaLength = 256 * 1024;
/** Milliseconds for compiling a schema, once for each tool, and for checking arguments. */
const timeLimits = { compile: 1_000, check: 250 } as const;
/** Violations that are reported at the most. */
const maxViolations = 20;

/**
 * Formats are left to the server, and unknown keywords are ignored. References within the schema are followed; external
 * references are never fetched, and make the schema unusable.
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

/** Path of the invalid argument, such as `arguments.files[0].path`. */
function fieldOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Readonly<Record<string, unknown>>;
  const own = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  const keys = instancePath.split('/').slice(1);
  const path = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (typeof own === 'string') path.push(own);
  return path.reduce((field, key) => (/^\d+$/.test(key) ? `${field}[${key}]` : `${field}.${key}`), 'arguments');
}

/** Descriptions of violations that are clearer than the validator's. */
const descriptions: Readonly<Record<string, (params: JsonObject) => string>> = {
  required: () => 'is required',
  additionalProperties: () => 'is not an argument of this tool',
  unevaluatedProperties: () => 'is not an argument of this tool',
  enum: ({ allowedValues }) => `must be one of ${JSON.stringify(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
};

const violationOf = (error: ErrorObject): FieldViolation => ({
  field: fieldOf(error),
  description: descriptions[error.keyword]?.(error.params) ?? error.message ?? 'does not match the schema',
});

/**
 * Checks arguments against the input schemas of tools, and returns the violations. Schemas are compiled at their first use.
 * An unusable schema (malformed, too long, too slow, with external references) checks nothing: the server has to.
 */
export function createArgumentCheck(logger: Pick<Logger, 'warn'>) {
  /** By the listed tool: another list has other tool objects. */
  const compiled = new WeakMap<Tool, ValidateFunction | 'unusable'>();
  return (tool: Tool, given: JsonObject): readonly FieldViolation[] => {
    if (!isObject(tool.inputSchema)) return [];
    try {
      const validate = compiled.get(tool) ?? compile(tool.inputSchema);
      compiled.set(tool, validate);
      if (validate === 'unusable' || withTimeLimit(timeLimits.check, () => validate(given))) return [];
      const all = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
      validate.errors = null;
      return all.slice(0, maxViolations).map(violationOf);
    } catch (error) {
      compiled.set(tool, 'unusable');
      const { message, code } = error as NodeJS.ErrnoException;
      const reason = code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? 'it takes too long' : message;
      const text = 'cannot use the input schema of an MCP tool; arguments are checked by its server only';
      logger.warn({ tool: tool.name, reason }, text);
      return [];
    }
  };
}
