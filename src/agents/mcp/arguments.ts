import { createContext, Script } from 'node:vm';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FieldViolation } from '../../core/model/errors.ts';
import { isObject, type JsonObject } from '../../core/model/json.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Tool } from './tool-server.ts';

/** Characters of a schema that is worth being compiled. */
const longestSchema = 256 * 1024;
/** Milliseconds that compiling one schema, once for each tool, and checking arguments by one may take. */
const times = { compile: 1_000, check: 250 } as const;
/** As many faults as are told. */
const told = 20;

/**
 * Formats are the server's to judge, unknown keywords are nobody's. References within the schema are followed, others
 * are never fetched: they make it a schema that cannot be used.
 */
const options: Options = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  allErrors: true,
  logger: false,
};

const place = createContext({ run: undefined });
const script = new Script('run()');

/**
 * Runs a function for a bounded time. V8 stops it wherever it is, within a regular expression too, so that a schema of
 * somebody else's cannot hang the gateway. Throws an Error with the code ERR_SCRIPT_EXECUTION_TIMEOUT then.
 */
function withinTime<T>(patience: number, run: () => T): T {
  place.run = run;
  try {
    return script.runInContext(place, { timeout: patience }) as T;
  } finally {
    place.run = undefined;
  }
}

function compile(schema: JsonObject): ValidateFunction {
  if (JSON.stringify(schema).length > longestSchema) throw new Error('the schema is too long');
  const { $schema: generation, ...rest } = schema;
  // Tuples are written differently before 2019-09. MCP says: 2020-12, where nothing is said.
  const old = typeof generation === 'string' && /draft-0[4-7]/.test(generation);
  // A compiler of its own for each: schemas may share an $id, and go when their tool does.
  return withinTime(times.compile, () => (old ? new Ajv(options) : new Ajv2020(options)).compile(rest));
}

/** Path of the argument at fault, as `arguments.files[0].path`. */
function fieldOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Readonly<Record<string, unknown>>;
  const own = missingProperty ?? additionalProperty ?? unevaluatedProperty;
  const keys = instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const path = typeof own === 'string' ? [...keys, own] : keys;
  return path.reduce((field, key) => (/^\d+$/.test(key) ? `${field}[${key}]` : `${field}.${key}`), 'arguments');
}

/** What is said of faults whose field says more than the validator's words. */
const words: Readonly<Record<string, (params: JsonObject) => string>> = {
  required: () => 'is required',
  additionalProperties: () => 'is not an argument of this tool',
  unevaluatedProperties: () => 'is not an argument of this tool',
  enum: ({ allowedValues }) => `must be one of ${JSON.stringify(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
};

const violationOf = (error: ErrorObject): FieldViolation => ({
  field: fieldOf(error),
  description: words[error.keyword]?.(error.params) ?? error.message ?? 'does not fit the schema',
});

/**
 * Checks arguments against the schemas of tools, each compiled when it is first needed. A schema that cannot be used
 * (malformed, too large, of references to elsewhere, too slow) checks nothing: the server judges for itself.
 */
export class ArgumentChecks {
  readonly #logger: Pick<Logger, 'warn'>;
  /** By the tool as it was listed: a new list is a new tool. */
  readonly #compiled = new WeakMap<Tool, ValidateFunction | 'unusable'>();

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  /** What is wrong with the arguments; empty when nothing is. */
  violations(tool: Tool, given: JsonObject): readonly FieldViolation[] {
    if (!isObject(tool.inputSchema)) return [];
    try {
      const validate = this.#compiled.get(tool) ?? compile(tool.inputSchema);
      this.#compiled.set(tool, validate);
      if (validate === 'unusable' || withinTime(times.check, () => validate(given))) return [];
      const all = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
      validate.errors = null;
      return all.slice(0, told).map(violationOf);
    } catch (error) {
      this.#compiled.set(tool, 'unusable');
      const { message, code } = error as NodeJS.ErrnoException;
      const reason = code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? 'it takes too long' : message;
      this.#logger.warn({ tool: tool.name, reason }, "a tool's schema cannot be used; its server checks alone");
      return [];
    }
  }
}
