import { isObject, type JsonObject } from '../../../../core/model/json.ts';
import { member } from '../../tool-result.ts';

/** A result without the members for which the SDK would refuse it, and a list of these members. */
export interface Salvaged {
  readonly value: JsonObject;
  readonly problems: readonly string[];
}

/**
 * MCP version assumed for a server that states no readable version. MCP assumes it for HTTP requests that state none.
 */
const assumedVersion = '2025-03-26';

/**
 * Reads the result of `initialize` or `server/discover`. A session needs only versions and capabilities. Every server
 * of a tool agent is assumed to support tools, whatever it declares.
 */
export function readHandshake(method: 'initialize' | 'server/discover', result: JsonObject): Salvaged {
  const problems: string[] = [];
  const capabilities = readCapabilities(member(result, 'capabilities'), problems);
  if (method === 'server/discover') {
    const versions = member(result, 'supportedVersions');
    // Without a list of versions, this is not a response of 2026-07-28: the SDK continues with `initialize`.
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

/** Returns the capabilities that the session uses, each as an object. Some servers write true or null instead. */
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

/** Returns the server's name and version. The SDK requires both. */
function readImplementation(given: unknown, problems: string[]): JsonObject {
  const { name, version } = isObject(given) ? given : {};
  const text = (value: unknown, field: string): string => {
    if (typeof value === 'string') return value;
    if (value !== undefined && value !== null) problems.push(`serverInfo.${field}: expected a text`);
    return value === undefined || value === null ? '' : String(value).slice(0, 100);
  };
  return { name: text(name, 'name'), version: text(version, 'version') };
}
