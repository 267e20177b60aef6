import { isObject } from '../core/model/json.ts';

/** The part of a Standard Schema that is used (standardschema.dev, version 1), which Zod, Valibot, ArkType and others make. */
interface StandardSchema {
  readonly '~standard': { validate(value: unknown): StandardResult | Promise<StandardResult> };
}

interface StandardResult {
  readonly value?: unknown;
  readonly issues?:
    | readonly { readonly message: string; readonly path?: readonly PathStep[] | undefined }[]
    | undefined;
}

type PathStep = PropertyKey | { readonly key: PropertyKey };

/**
 * Checks a module's settings. Returns them as their schema does, and the faults with their paths. Without settings, the schema
 * gets an empty object, so that its defaults apply.
 *
 * @param schema a Standard Schema or a JSON Schema; undefined: any settings are valid
 * @throws TypeError for anything else
 */
export async function checkSettings(schema: unknown, value: unknown) {
  if (schema === undefined) return { value, faults: [] };
  const given = value ?? {};
  if (isStandard(schema)) {
    const result = await schema['~standard'].validate(given);
    const faults = (result.issues ?? []).map(({ path = [], message }) =>
      at(
        path.map((step) => String(typeof step === 'object' ? step.key : step)),
        message,
      ),
    );
    return { value: result.value, faults };
  }
  if (!isObject(schema))
    throw new TypeError('configSchema must be a Standard Schema, such as one of Zod, or a JSON Schema');
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ allErrors: true, strict: false, useDefaults: true, logger: false, formats });
  const checked = structuredClone(given);
  const validate = ajv.compile(schema);
  if (validate(checked)) return { value: checked, faults: [] };
  const faults = (validate.errors ?? []).map(({ instancePath, message = 'is not valid' }) =>
    at(instancePath.split('/').slice(1), message),
  );
  return { value: checked, faults };
}

/** Formats of JSON Schema that are checked; others are descriptions only. */
const formats = { uri: (text: string) => URL.canParse(text) };

/** Whether a value is a Standard Schema, which may also be a function. */
const isStandard = (schema: unknown): schema is StandardSchema =>
  (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema;

const at = (path: readonly string[], message: string): string => `${['config', ...path].join('.')}: ${message}`;
