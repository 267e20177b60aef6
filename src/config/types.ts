import type { AuthSettings } from '../auth/settings.ts';
import type { Quirks } from '../core/model/call.ts';
import type { DialectName } from '../dialects/kernel/dialect.ts';
import type { OutboundAuthSettings } from '../net/outbound-settings.ts';
import type { ToolServerSettings } from '../net/tool-server-settings.ts';
import type { CardListing } from './sections/cards-schema.ts';
import type { KnowledgeConfig } from './sections/knowledge-schema.ts';
import type { LogConfig } from './sections/log-schema.ts';
import type { PushConfig } from './sections/push-schema.ts';
import type { ShutdownConfig } from './sections/shutdown-schema.ts';
import type { SigningConfig, TrustConfig } from './sections/signing-schema.ts';
import type { TracingConfig } from './sections/tracing-schema.ts';

/** The gateway's configuration once it has been read: every default filled in, every path absolute, every unit known. */

/** Where and how the gateway listens. */
export interface ListenConfig {
  /** A host name or address; `localhost` (the default) means both loopback addresses. */
  readonly host: string;
  /** 0 lets the system choose. Default 8080. */
  readonly port: number;
  /** What cards advertise, without a trailing slash. Always there when `host` is not a loopback address. */
  readonly publicUrl: string | undefined;
  /** Origins of browser clients besides the gateway's own, such as `https://console.example.com`; `*` means all. */
  readonly cors: readonly string[];
  readonly tls: TlsConfig | undefined;
}

/** Absolute paths of PEM files. */
export interface TlsConfig {
  readonly cert: string;
  readonly key: string;
  /** Authorities whose client certificates are accepted. */
  readonly clientCa: string | undefined;
}

/** The deterministic agent that is built in. */
export interface ReferenceAgentConfig {
  readonly kind: 'reference';
}

/** An agent written by the user. */
export interface ModuleAgentConfig {
  readonly kind: 'module';
  /** Absolute path of a JavaScript or TypeScript module. */
  readonly path: string;
}

/** The bindings that an upstream can be called over. */
export const upstreamTransports = ['jsonrpc', 'rest', 'grpc', 'connect'] as const;

/** An A2A agent somewhere else, of any generation, over any binding. */
export interface UpstreamConfig {
  readonly kind: 'upstream';
  /** The agent's base URL or the URL of its card: http or https, without a user, a password or a fragment. */
  readonly url: string;
  /** The generation that it speaks; `auto` (the default) finds out. */
  readonly dialect: DialectName | 'auto';
  /** The binding to call it over; `auto` (the default) finds out. */
  readonly transport: (typeof upstreamTransports)[number] | 'auto';
  /** Milliseconds without a sign of life after which a task fails. Default 10 minutes. */
  readonly silence: number;
  /** Whether a request is refused when a conversion would lose something of it. Default false. */
  readonly strict: boolean;
  /** What its software does otherwise than its generation has it; undefined: the agent is asked what software it is. */
  readonly quirks?: Quirks | undefined;
  /** What it is shown; undefined: nothing. */
  readonly auth: OutboundAuthSettings | undefined;
  /** Whose signatures its card must bear; undefined: a card is taken as it is. */
  readonly trust?: TrustConfig | undefined;
}

/** An agent that calls tools of MCP servers. */
export interface McpConfig {
  readonly kind: 'mcp';
  /** By the ids that callers name them by; at least one. */
  readonly servers: ReadonlyMap<string, ToolServerSettings>;
}

export type AgentConfig = (ReferenceAgentConfig | ModuleAgentConfig | UpstreamConfig | McpConfig) & {
  /** What the agent knows, kept by the gateway. Absent: an agent without knowledge of its own. */
  readonly knowledge?: KnowledgeConfig;
  /** Which interfaces its cards list, where not as those of all agents. */
  readonly cards?: CardListing;
};

/** What bounds one caller, one request, and the memory of the process. Undefined: no bound. */
export interface LimitsConfig {
  /** Bytes of a request body. Default 10 MiB. */
  readonly body: number;
  /** Bytes of a request's headers. Default 16 KiB. */
  readonly headers: number;
  /** Milliseconds that one answer may take. Default 300 seconds. */
  readonly answer: number;
  /** Milliseconds that a request may take to arrive. Default 30 seconds. */
  readonly requestTimeout: number;
  /** Milliseconds that a client may take to read what was sent. Default 30 seconds. */
  readonly slowReader: number;
  /**
   * Requests of one principal, or of one network of anonymous callers. Default 600, and no bound on a loopback listener
   * without publicUrl.
   */
  readonly requestsPerMinute: number | undefined;
  /** Streams of one principal at the same time. Default 100, and no bound on a loopback listener without publicUrl. */
  readonly streams: number | undefined;
  /** Streams of one task at the same time. Default 100, and no bound on a loopback listener without publicUrl. */
  readonly streamsPerTask: number | undefined;
  /** Bytes of JSON after which a page of a list ends. Default 8 MiB. */
  readonly page: number;
  /** Bytes of large requests and of answers in memory, of all connections together. Default 256 MiB. */
  readonly buffered: number;
  /** Connections at the same time. Default: no bound. */
  readonly connections: number | undefined;
  readonly webhooks: {
    /** Push configurations of one task. Default 20. */
    readonly perTask: number | undefined;
    /** Push configurations of one principal that may still have something to deliver. Default 1,000. */
    readonly perPrincipal: number | undefined;
    /** Notifications to one host within a minute. Default 6,000. */
    readonly perMinute: number | undefined;
  };
}

/** Everything that the gateway can be told. */
export interface Config {
  /** Absolute path of the file that this was read from; undefined when it came from flags alone. */
  readonly file: string | undefined;
  readonly listen: ListenConfig;
  /** `memory:`, `sqlite:` and an absolute path, or a `postgres://` URL. Default: `sqlite:` in ./data/gateway.db. */
  readonly store: string;
  /** Whether an acknowledged event survives the death of the process (the default), or a power cut too. */
  readonly durability: 'process' | 'full';
  readonly retention: {
    /** Milliseconds after which a task at rest is deleted; undefined keeps tasks for ever. Default 30 days. */
    readonly tasks: number | undefined;
    /** Milliseconds that changes of what agents know can be caught up with; undefined keeps them. Default 30 days. */
    readonly changes: number | undefined;
  };
  readonly auth: AuthSettings;
  readonly limits: LimitsConfig;
  readonly outbound: {
    /** Hosts, addresses and blocks of them that the URL guard lets through, perhaps with a port. Default: none. */
    readonly allow: readonly string[];
  };
  readonly push: PushConfig;
  readonly shutdown: ShutdownConfig;
  readonly log: LogConfig;
  /** Where traces go; undefined: nowhere. */
  readonly tracing: TracingConfig | undefined;
  /** Which interfaces cards list, and how cards are signed; undefined: they are not. */
  readonly cards: CardListing & { readonly signing: SigningConfig | undefined };
  /** Name of the agent that also answers at the root. Default: the only agent, or none when there are several. */
  readonly defaultAgent: string | undefined;
  /** By name, in the order of the file. Default: the reference agent, named `demo`. */
  readonly agents: ReadonlyMap<string, AgentConfig>;
  /**
   * Names of the agents that answer at the root of a Host or `:authority`, by that host in lower case: with a port it is
   * meant on that port only, without on any.
   */
  readonly hosts: ReadonlyMap<string, string>;
}

/** Values of the command line, which come before those of the file. */
export interface ConfigOverrides {
  readonly host?: string;
  readonly port?: number;
  /** A relative sqlite path is relative to the working directory here. */
  readonly store?: string;
}

/** What a configuration means when it says nothing. */
export const defaults = {
  host: 'localhost',
  port: 8080,
  store: 'sqlite:./data/gateway.db',
  durability: 'process',
  retention: 30 * 86_400_000,
  agent: 'demo',
  upstream: 'upstream',
  silence: 600_000,
} as const;

/** Words that begin a path of the gateway's own, so that no agent can be called by them. */
export const reservedNames: ReadonlySet<string> = new Set([
  'agent',
  'agents',
  'as',
  'card',
  'console',
  'files',
  'healthz',
  'knowledge',
  'mcp',
  'message',
  'metrics',
  'oauth',
  'readyz',
  'tasks',
  'v1',
]);

/** Whether a listener on this host can be reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === 'localhost' || bare === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(bare);
}
