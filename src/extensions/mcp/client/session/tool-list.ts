import { defined, isObject, type JsonObject } from '../../../../core/model/json.ts';
import { member } from '../../tool-result.ts';
import { isSafeJson } from '../tool-server.ts';
import type { Salvaged } from './handshake.ts';

/** Milliseconds for which a list of tools is cached if its server does not say. */
export const usualListAge = 300_000;
/** Maximum characters of a tool's name. */
export const maxNameLength = 256;
/** Maximum nesting depth of a schema; a card adds some levels around it. */
export const maxSchemaDepth = 48;

/**
 * Reads the result of `tools/list`. A tool that cannot be called is omitted without affecting the others. Members that
 * only describe a tool are omitted if they do not conform to MCP. Null counts as absent.
 */
export function readToolList(given: unknown): Salvaged {
  const result = Array.isArray(given) ? { tools: given } : isObject(given) ? given : {};
  const problems: string[] = [];
  const { tools = null } = result;
  if (tools !== null && !Array.isArray(tools)) problems.push('tools: expected a list');
  const read = (Array.isArray(tools) ? tools : []).flatMap(
    (tool, at) => readTool(tool, `tool ${at + 1}`, problems) ?? [],
  );
  const cursor = member(result, 'nextCursor');
  const nextCursor = typeof cursor === 'number' ? String(cursor) : cursor;
  const { ttlMs, cacheScope } = result;
  return {
    value: defined({
      tools: read,
      nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
      // Members that MCP 2026-07-28 requires in addition.
      ttlMs: typeof ttlMs === 'number' && ttlMs >= 0 ? Math.floor(ttlMs) : usualListAge,
      cacheScope: cacheScope === 'public' ? cacheScope : 'private',
      resultType: 'complete',
    }),
    problems,
  };
}

type Report = (member: string, expected: string) => undefined;

function readTool(value: unknown, place: string, problems: string[]): JsonObject | undefined {
  const { name } = isObject(value) ? value : {};
  if (!isObject(value) || typeof name !== 'string' || name === '' || name.length > maxNameLength) {
    const why =
      typeof name === 'string' && name !== '' ? `its name has more than ${maxNameLength} characters` : 'it has no name';
    problems.push(`${place}: ${isObject(value) ? why : 'it is not an object'}; the tool is left out`);
    return undefined;
  }
  const left = (of: string, expected: string): undefined => {
    problems.push(`${place} (${name.slice(0, 64)}): ${of} is left out; expected ${expected}`);
  };
  const { icons: _, ...others } = value;
  const named = Object.entries(others).filter(([, one]) => one !== null);
  return defined({
    ...Object.fromEntries(named),
    name,
    title: textIn(value, 'title', left),
    description: textIn(value, 'description', left),
    inputSchema: argumentSchema(member(value, 'inputSchema'), left),
    outputSchema: schemaIn(member(value, 'outputSchema'), 'outputSchema', left),
    annotations: annotationsIn(value, left),
    execution: executionIn(value, left),
    _meta: objectIn(value, '_meta', left),
  });
}

function textIn(tool: JsonObject, name: string, left: Report): string | undefined {
  const value = member(tool, name);
  return value === undefined || typeof value === 'string' ? value : left(name, 'a text');
}

function objectIn(tool: JsonObject, name: string, left: Report): JsonObject | undefined {
  const value = member(tool, name);
  return value === undefined || isObject(value) ? value : left(name, 'an object');
}

const hints: ReadonlySet<string> = new Set(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']);

/** Returns a server's hints about the effects of a tool. A hint that is neither true nor false is omitted. */
function annotationsIn(tool: JsonObject, left: Report): JsonObject | undefined {
  const given = objectIn(tool, 'annotations', left);
  if (!given) return undefined;
  const kept = Object.entries(given).filter(([name, value]) => {
    if (value === null) return false;
    const wanted = hints.has(name) ? 'boolean' : name === 'title' ? 'string' : undefined;
    if (wanted === undefined || typeof value === wanted) return true;
    left(`annotations.${name}`, wanted === 'boolean' ? 'true or false' : 'a text');
    return false;
  });
  return Object.fromEntries(kept);
}

function executionIn(tool: JsonObject, left: Report): JsonObject | undefined {
  const given = objectIn(tool, 'execution', left);
  const support = given && member(given, 'taskSupport');
  if (support === undefined) return undefined;
  if (support === 'required' || support === 'optional' || support === 'forbidden') return { taskSupport: support };
  return left('execution.taskSupport', 'required, optional or forbidden');
}

/** Returns the schema of a tool's arguments, which must describe an object. */
function argumentSchema(given: unknown, left: Report): JsonObject {
  const schema = schemaIn(given, 'inputSchema', left);
  return schema?.type === 'object' ? schema : { ...schema, type: 'object' };
}

function schemaIn(given: unknown, name: string, left: Report): JsonObject | undefined {
  if (given === undefined) return undefined;
  if (!isObject(given)) return left(name, 'a JSON Schema');
  if (!isSafeJson(given, maxSchemaDepth)) return left(name, `at most ${maxSchemaDepth} levels, and no key __proto__`);
  return readSchema(given);
}

/** Keywords whose value is a schema. */
const ofOne: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
]);
/** Keywords whose value is a mapping of names to schemas. */
const ofMany: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose value is a list of schemas. */
const ofLists: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
/** Keywords that may be null. */
const ofValues: ReadonlySet<string> = new Set(['const', 'default']);

/** Returns a schema without keywords that are null or have a value that schema validators refuse. */
function readSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) => {
      const read = readKeyword(name, value);
      return read === undefined ? [] : [[name, read]];
    }),
  );
}

function readKeyword(name: string, value: unknown): unknown {
  if (ofValues.has(name)) return value;
  if (value === null) return undefined;
  if (name === 'required') {
    const names = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
    return names.length > 0 ? [...new Set(names)] : undefined;
  }
  if (name === 'enum') return Array.isArray(value) ? value : undefined;
  if (ofOne.has(name)) return Array.isArray(value) ? value.map(schemaOrAny) : schemaOr(value);
  if (ofMany.has(name)) {
    if (!isObject(value)) return undefined;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, schemaOrAny(one)]));
  }
  if (ofLists.has(name)) return Array.isArray(value) && value.length > 0 ? value.map(schemaOrAny) : undefined;
  return value;
}

const schemaOr = (value: unknown): unknown =>
  isObject(value) ? readSchema(value) : typeof value === 'boolean' ? value : undefined;

/** Returns a schema. A value that is not a schema becomes one that allows any value. */
const schemaOrAny = (value: unknown): unknown => schemaOr(value) ?? {};
