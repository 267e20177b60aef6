import { isObject, type JsonObject } from '../../../../core/model/json.ts';
import { member } from '../../tool-result.ts';

/** A result without what the SDK would refuse it for, and what was left out. */
export interface Salvaged {
  readonly value: JsonObject;
  readonly problems: readonly string[];
}

/** The version of MCP of a server that names none that can be read: the one that is assumed where HTTP requests name none. */
const assumedVersion = '2025-03-26';

/**
 * Reads the result of `initialize` or `server/discover`: the versions and the capabilities are all that a session needs. A server
 * of an agent of tools is taken to have tools, whatever it declares.
 */
export function readHandshake(method: 'initialize' | 'server/discover', result: JsonObject): Salvaged {
  const problems: string[] = [];
  const capabilities = readCapabilities(member(result, 'capabilities'), problems);
  if (method === 'server/discover') {
    const versions = member(result, 'supportedVersions');
    // Without a list of versions it is not an answer of 2026-07-28: the SDK goes on with `initialize`.
    if (!Array.isArray(versions)) return { value: result, problems: [] };
    const supportedVersions = versions.filter((version) => typeof version === 'string');
    return { value: { resultType: 'complete', supportedVersions, capabilities }, problems };
  }
  const serverInfo = readImplementation(member(result, 'serverInfo'), problems);
  const version = member(result, 'protocolVersion');
  const isVersion = typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version);
  if (!isVersion) {
    const written = version === undefined ? 'it is missing' : `it is ${JSON.stringify(version).slice(0, 100)}`;
    problems.push(`protocolVersion: ${written}; ${assumedVersion} is assumed`);
  }
  return {
    value: { protocolVersion: isVersion ? version : assumedVersion, capabilities, serverInfo },
    problems,
  };
}

/** The capabilities that the session uses, each an object: some servers write true, or null. */
function readCapabilities(given: unknown, problems: string[]): JsonObject {
  if (given !== undefined && !isObject(given)) problems.push('capabilities: expected an object');
  const all = isObject(given) ? given : {};
  const { tools, logging = null, extensions = null, tasks = null } = all;
  const listChanged = isObject(tools) && tools.listChanged === true;
  return {
    tools: listChanged ? { listChanged } : {},
    ...(logging !== null && logging !== false && { logging: isObject(logging) ? logging : {} }),
    ...(isObject(extensions) && { extensions: objectsIn(extensions) }),
    ...(isObject(tasks) && { tasks: objectsIn(tasks) }),
  };
}

const objectsIn = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) =>
      isObject(one) || one === true ? [[name, isObject(one) ? one : {}]] : [],
    ),
  );

/** Names a server for the SDK, which wants a name and a version. */
function readImplementation(given: unknown, problems: string[]): JsonObject {
  const { name, version } = isObject(given) ? given : {};
  const text = (value: unknown, field: string): string => {
    if (typeof value === 'string') return value;
    if (value !== undefined && value !== null) problems.push(`serverInfo.${field}: expected a text`);
    return value === undefined || value === null ? '' : String(value).slice(0, 100);
  };
  return { name: text(name, 'name'), version: text(version, 'version') };
}
