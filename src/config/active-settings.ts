import * as z from 'zod';
import type { AuthSettings } from '../auth/settings.ts';
import { own } from '../core/model/json.ts';
import { hidesUser, shownUrl } from '../core/model/shown-url.ts';
import type { ToolServerSettings } from '../net/tool-server-settings.ts';
import { shownStore } from '../stores/postgres/url.ts';
import { shownModuleSettings, splitSettings } from './module-sections.ts';
import { fileSchema } from './schema.ts';
import { type AnySchema, asAny, innerOf, schemaFacts } from './schema-facts.ts';
import type { AgentConfig } from './sections/agents.ts';
import { auth as authSchema } from './sections/auth.ts';
import { shownCredentials, shownUrlOf } from './sections/outbound-auth.ts';
import type { TracingConfig } from './sections/tracing.ts';
import type { Config } from './types.ts';

/** Text that replaces a secret. */
export const masked = '***';

export type ShowSecret = (secret: unknown) => unknown;

/**
 * Returns the settings of an active configuration, in the form of the file and with all defaults. Secrets are masked,
 * as are values that only a user's module or a program understands: settings of modules, and arguments and environment
 * variables of programs. Objects of the program that embeds the gateway are left out.
 *
 * @param show returns the text that replaces a secret; default: `masked`
 */
export function activeSettings(config: Config, show: ShowSecret = () => masked): Readonly<Record<string, unknown>> {
  const { file: _, hosts, agents, auth, tracing, store, notifications, ...sections } = config;
  const settings = {
    ...sections,
    store: shownStore(store),
    notifications: notifications && shownUrl(notifications),
    auth: authSettings(auth),
    agents: Object.fromEntries([...agents].map(([name, agent]) => [name, agentSettings(agent, hostsOf(name, hosts))])),
    ...(tracing && tracingSettings(tracing)),
  } as z.output<typeof fileSchema>;
  const shown = shownAs(asAny(fileSchema), z.encode(fileSchema, settings), show) as Record<string, unknown>;
  const shownAgents = shown.agents as Record<string, object>;
  const withKinds = [...agents].map(([name, { kind }]) => [name, { ...own(shownAgents, name), kind }]);
  return { ...shown, agents: Object.fromEntries(withKinds) };
}

/**
 * Converts an encoded value for display: members that are undefined are removed, and secrets are replaced with `show`.
 */
function shownAs(schema: AnySchema, value: unknown, show: ShowSecret): unknown {
  const { def } = schema._zod;
  const secret = schemaFacts.get(schema)?.secret;
  if (secret === 'whole') return show(value);
  if (secret === 'query') return withoutQuery(String(value), show);
  const all = (parts: object, schemaOf: (key: string) => z.core.$ZodType): object =>
    Object.fromEntries(
      Object.entries(parts).flatMap(([key, each]) =>
        each === undefined ? [] : [[key, shownAs(asAny(schemaOf(key)), each, show)]],
      ),
    );
  switch (def.type) {
    case 'object':
      return all(value as object, (key) => def.shape[key] as z.core.$ZodType);
    case 'record':
      return all(value as object, () => def.valueType);
    case 'array':
      return (value as unknown[]).map((each) => shownAs(asAny(def.element), each, show));
    case 'union': {
      const option = def.options.find((each) => z.safeParse(each, value).success);
      return option ? shownAs(asAny(option), value, show) : show(value);
    }
    default: {
      const inner = innerOf(schema);
      if (inner) return shownAs(inner, value, show);
      return typeof value === 'string' && hidesUser(value) ? show(value) : value;
    }
  }
}

/** Replaces the query of a URL, which may contain a key. */
function withoutQuery(text: string, show: ShowSecret): string {
  const mark = /^\w+:\/\//.test(text) ? text.indexOf('?') : -1;
  return mark < 0 ? text : `${text.slice(0, mark + 1)}${show(text.slice(mark + 1))}`;
}

const hostsOf = (agent: string, hosts: Config['hosts']): string[] =>
  [...hosts].flatMap(([host, owner]) => (owner === agent ? [host] : []));

const authSettings = ({ hooks, anonymous, ...auth }: AuthSettings): object => ({
  ...auth,
  anonymous: anonymous !== 'none',
  timeout: hooks?.timeout ?? authSchema.parse({}).timeout,
  ...(hooks?.module && { module: hooks.module.path, config: hooks.module.config, env: hooks.module.env }),
});

/** Returns the tracing settings. Undefined if the environment configures tracing. */
function tracingSettings({ inFile, parentBased: _, ratio, headers, ...settings }: TracingConfig) {
  if (!inFile) return undefined;
  return { tracing: { ...settings, headers: Object.fromEntries(headers), sampleRatio: ratio } };
}

/** Returns the settings of an agent. An agent that is an object of the program is shown without settings of its own. */
function agentSettings({ cards, whileRunning, ...all }: AgentConfig, hosts: string[]): object {
  const agent = splitSettings(all).others;
  const common = { hosts, cards, whileRunning, ...shownModuleSettings(all) };
  switch (agent.kind) {
    case 'upstream': {
      const url = typeof agent.url === 'string' ? shownUrlOf(agent.url) : agent.url.map(shownUrlOf);
      return { ...agent, url, auth: shownCredentials(agent.auth), ...common };
    }
    case 'mcp': {
      const servers = [...agent.servers].map(([id, server]) => [id, toolServer(server)]);
      return { kind: agent.kind, servers: Object.fromEntries(servers), ...common };
    }
    case 'code':
      return { kind: 'reference', ...common };
    default:
      return { ...agent, ...common };
  }
}

function toolServer({ type, ...server }: ToolServerSettings): object {
  if (!('url' in server)) return server;
  return {
    ...server,
    url: shownUrlOf(server.url),
    auth: shownCredentials(server.auth),
    style: type === 'http' ? 'mcp' : type,
  };
}
