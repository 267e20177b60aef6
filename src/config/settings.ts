import type { DialectName } from '../dialects/kernel/dialect.ts';

/**
 * The settings of a configuration file, as types for programs. Each has the same meaning and the same default as in the
 * file; the schemas of the sections check them. Written out, so that editors show them, and so that the declarations of the
 * package need no other package. A test compares them with the schemas.
 */

/** Bytes, or a text such as `512KiB` or `10MiB`. */
export type Size = number | string;

/** A text such as `500ms`, `30s`, `10m`, `12h` or `30d`. */
export type Duration = string;

/** A whole number above zero. */
export type Count = number | 'unlimited';

/** The bindings that cards list. */
export type ListedBinding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC';

/** A gateway's settings, all of them optional. */
export interface FileSettings {
  /** Where and how the gateway listens. */
  readonly listen?: ListenSettings;
  /** `memory:`, `sqlite:PATH` or `postgres://USER:PASSWORD@HOST/DATABASE`. Default `sqlite:./data/gateway.db`. */
  readonly store?: string;
  /** Whether acknowledged events survive the end of the process, or with `full` a power cut too. Default `process`. */
  readonly durability?: 'process' | 'full';
  /** After which time data is deleted. */
  readonly retention?: RetentionSettings;
  /** How callers authenticate. */
  readonly auth?: AuthFileSettings;
  /** What bounds one caller, one request, and the memory of the process. */
  readonly limits?: LimitsSettings;
  /** What cards list, and how they are signed. */
  readonly cards?: CardsSettings;
  /** Dialects to serve whose specification is not published yet. */
  readonly preview?: readonly string[];
  /** Name of the agent that also answers at the root. Default: the only agent, where there is one. */
  readonly defaultAgent?: string;
  /** Agents by name. */
  readonly agents?: Readonly<Record<string, AgentFileSettings>>;
  /** Targets chosen by callers or agents that the gateway may call. */
  readonly outbound?: {
    /** Hosts, addresses and blocks of addresses, each with an optional port. */
    readonly allow?: readonly string[];
  };
  /** How push notifications are delivered. */
  readonly push?: {
    /** How long delivery of a notification is attempted. Default `24h`. */
    readonly maxAge?: Duration;
    /** How long a receiver may take to answer. Default `15s`. */
    readonly timeout?: Duration;
  };
  /** How the gateway stops. */
  readonly shutdown?: {
    /** How long it still accepts work after it reports that it is not ready. Default `0s`. */
    readonly delay?: Duration;
    /** How long running work then has to end. Default `10s`. */
    readonly drain?: Duration;
  };
  /** What is logged. */
  readonly log?: {
    /** The least severe level that is logged. Default `info`. */
    readonly level?: 'error' | 'warn' | 'info' | 'debug';
    /** Whether each request is logged. Default false. */
    readonly requests?: boolean;
    /** Lines of JSON, or lines for people. Default `auto`: for people where stderr is a terminal. */
    readonly format?: 'auto' | 'json' | 'text';
  };
  /**
   * Whether the gateway serves its own pages: `/healthz`, `/readyz`, `/agents`, `/metrics` and `/openapi.json`. Default
   * true. With false they are left to the app that the gateway is part of.
   */
  readonly pages?: boolean;
  /** Where traces are sent. Default: as the environment variables of OpenTelemetry say. */
  readonly tracing?: {
    /** The http or https URL of an OTLP receiver. */
    readonly endpoint: string;
    /** Of each request to the receiver. */
    readonly headers?: Readonly<Record<string, string>>;
    /** The part of the traces that is sent: from 0 to 1. */
    readonly sampleRatio?: number;
    readonly serviceName?: string;
  };
}

export interface ListenSettings {
  /** A host name or address. Default `localhost`: both loopback addresses. */
  readonly host?: string;
  /** 0 lets the system choose. Default 8080. */
  readonly port?: number;
  /** What cards advertise, such as `https://agents.example.com`. Required when `host` is not a loopback address. */
  readonly publicUrl?: string;
  /** Origins of browser clients besides the gateway's own; `*` means all. */
  readonly cors?: readonly string[];
  readonly tls?: {
    /** Paths of PEM files. */
    readonly cert: string;
    readonly key: string;
    /** Authorities whose client certificates are accepted. */
    readonly clientCa?: string;
  };
}

export interface RetentionSettings {
  /** Age after which a task at rest is deleted, or `forever`. Default `30d`. */
  readonly tasks?: Duration;
  /** Age up to which subscribers can read missed changes of knowledge, or `forever`. Default `30d`. */
  readonly changes?: Duration;
}

/** What a caller may do. */
export interface GrantFileSettings {
  /** Names of the agents that may be called. Default: all. */
  readonly agents?: readonly string[];
  /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
  readonly scopes?: readonly string[];
  /** Tenants that may be named. A caller of one tenant need not name it. Default: any. */
  readonly tenants?: readonly string[];
}

export interface AuthFileSettings {
  /** Whether callers without credentials are admitted. Default: those on this machine, where only it can reach the gateway. */
  readonly anonymous?: boolean;
  readonly apiKeys?: readonly (GrantFileSettings & {
    readonly name: string;
    /** As `a2a-gateway keys new` prints it. */
    readonly hash: string;
  })[];
  /** The header for API keys. Default `X-Api-Key`. */
  readonly apiKeyHeader?: string;
  /** Tokens of an identity provider. */
  readonly jwt?: GrantFileSettings & {
    readonly issuer: string;
    /** A token needs one of them. */
    readonly audience: string | readonly string[];
    /** URL of the provider's public keys. */
    readonly jwksUrl: string;
    readonly algorithms?: readonly (
      | 'RS256'
      | 'RS384'
      | 'RS512'
      | 'PS256'
      | 'PS384'
      | 'PS512'
      | 'ES256'
      | 'ES384'
      | 'ES512'
      | 'EdDSA'
      | 'Ed25519'
    )[];
    /** The type that tokens must have in their header, such as `at+jwt`. */
    readonly typ?: string;
    /** By which clocks may differ. Default `5s`. */
    readonly clockTolerance?: Duration;
    /** The claim that holds a token's scopes. Default `scope` or `scp`. */
    readonly scopeClaim?: string;
  };
  /** The built-in token endpoint, for client credentials. */
  readonly tokenEndpoint?: {
    readonly clients: readonly (GrantFileSettings & { readonly id: string; readonly hash: string })[];
    /** For which tokens are valid. Default `1h`. */
    readonly lifetime?: Duration;
  };
  /** Client certificates of the authorities in `listen.tls.clientCa`. */
  readonly mtls?: {
    readonly clients?: readonly (GrantFileSettings & {
      readonly name: string;
      readonly commonName?: string;
      readonly altName?: string;
      /** SHA-256 of the certificate. */
      readonly fingerprint?: string;
    })[];
    /** Whether certificates that match no client are accepted. */
    readonly others?: 'accept' | 'refuse';
    /** Whether connections without a certificate are refused. */
    readonly required?: boolean;
  };
  /** Whether cards can be read without credentials. Default: where callers can authenticate. */
  readonly publicCards?: boolean;
  /** Wrong credentials from one network in a minute after which only known ones are accepted from it. Default 20. */
  readonly failuresPerMinute?: Count;
  /** Path of a module that authenticates or authorizes callers, besides the ways above. */
  readonly module?: string;
  /** Settings for the module, which it checks itself. */
  readonly config?: unknown;
  /** Texts for the module, such as keys of other services. */
  readonly env?: Readonly<Record<string, string>>;
  /** How long a hook may take for its answer. Default `5s`. */
  readonly timeout?: Duration;
}

export interface LimitsSettings {
  /** Of a request body. Default `10MiB`. */
  readonly body?: Size;
  /** Of a request's headers. Default `16KiB`. */
  readonly headers?: Size;
  /** How long one answer may take. Default `300s`. */
  readonly answer?: Duration;
  /** How long a request may take to arrive. Default `30s`. */
  readonly requestTimeout?: Duration;
  /** How long a client may take to read what was sent. Default `30s`. */
  readonly slowReader?: Duration;
  /** Requests of one principal, or of one network of anonymous callers. */
  readonly requestsPerMinute?: Count;
  /** Streams of one principal at the same time. */
  readonly streams?: Count;
  /** Streams of one task at the same time. */
  readonly streamsPerTask?: Count;
  /** Size after which a page of a list ends. Default `8MiB`. */
  readonly page?: Size;
  /** Large requests and answers in memory, of all connections together. Default `256MiB`. */
  readonly buffered?: Size;
  /** JSON that an agent keeps for one task, or for one context. Default `1MiB`. */
  readonly state?: Size;
  /** Connections at the same time. Default: any number. */
  readonly connections?: Count;
  readonly webhooks?: {
    /** Push configurations of one task. Default 20. */
    readonly perTask?: Count;
    /** Push configurations of one principal. Default 1000. */
    readonly perPrincipal?: Count;
    /** Notifications to one host within a minute. Default 6000. */
    readonly perMinute?: Count;
  };
}

/** What cards list. Default: every binding of every dialect. */
export interface CardListingSettings {
  readonly interfaces?: readonly ListedBinding[];
  readonly dialects?: { readonly [K in DialectName]?: { readonly interfaces: readonly ListedBinding[] } };
}

/** A private key that signs cards. */
export interface SigningKeySettings {
  /** Path of a PEM or JWK file. */
  readonly key: string;
  readonly kid?: string;
}

export interface CardsSettings extends CardListingSettings {
  readonly signing?: SigningKeySettings & {
    /** Keys that signed before. */
    readonly previous?: readonly SigningKeySettings[];
  };
}

/** The gateway's credentials at an upstream agent, a tool server or a graph database. */
export type OutboundAuthFileSettings =
  | { readonly type: 'apiKey'; readonly key: string; readonly header?: string }
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | {
      readonly type: 'oauth2';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scopes?: readonly string[];
    }
  | { readonly type: 'mtls'; readonly cert: string; readonly key: string; readonly ca?: string }
  /** Each caller's own credentials. */
  | { readonly type: 'forward' };

/** The settings of agents of every kind. */
export interface CommonAgentSettings {
  /** Hosts at whose root the agent answers. */
  readonly hosts?: readonly string[];
  /** What its cards list, where that differs from all agents. */
  readonly cards?: CardListingSettings;
  /** Knowledge that the gateway keeps for the agent. */
  readonly knowledge?: boolean | KnowledgeFileSettings;
}

/** An agent in a JavaScript or TypeScript module. */
export interface ModuleAgentSettings extends CommonAgentSettings {
  readonly kind: 'module';
  readonly path: string;
  /** Settings for the module, which it checks itself. */
  readonly config?: unknown;
  /** Texts for the module, such as keys of other services. */
  readonly env?: Readonly<Record<string, string>>;
}

/** An A2A agent at a URL. */
export interface UpstreamAgentSettings extends CommonAgentSettings {
  readonly kind: 'upstream';
  /** The agent's base URL or the URL of its card. */
  readonly url: string;
  /** Default `auto`: detected. */
  readonly dialect?: 'auto' | DialectName;
  /** Default `auto`: detected. */
  readonly transport?: 'auto' | 'jsonrpc' | 'rest' | 'grpc' | 'connect';
  /** Time without an event or an answer after which a task fails. Default `10m`. */
  readonly silence?: Duration;
  /** What the gateway keeps: the agent's tasks, or nothing, so that it only translates. Default `tasks`. */
  readonly keep?: 'tasks' | 'none';
  /** Whether the agent may be called over HTTP/2. Default false. */
  readonly http2?: boolean;
  /** Whether a request is refused when a conversion would lose something of it. Default false. */
  readonly strict?: boolean;
  /** Deviations of the agent's software from its dialect. Default: detected. */
  readonly quirks?: { readonly base64Bytes?: boolean; readonly laterFields?: boolean };
  /** The gateway's credentials at the agent. */
  readonly auth?: OutboundAuthFileSettings;
  /** Whose signatures the agent's card must have. */
  readonly trust?: {
    /** The https URL of a JWK set, or the path of a file. */
    readonly jwks: string;
    /** Whether a card without signatures is refused. Default true. */
    readonly required?: boolean;
  };
}

/** An agent that calls tools of MCP servers. */
export interface ToolsAgentSettings extends CommonAgentSettings {
  readonly kind: 'mcp';
  /** By the ids that callers name them by. */
  readonly servers?: Readonly<Record<string, ToolServerFileSettings>>;
}

/** A server of tools: at a URL, or a program. */
export interface ToolServerFileSettings {
  readonly url?: string;
  readonly style?: 'mcp' | 'method-per-tool';
  readonly auth?: OutboundAuthFileSettings;
  readonly tools?: readonly (
    | string
    | {
        readonly name: string;
        readonly description?: string;
        /** A JSON Schema. */
        readonly inputSchema?: Readonly<Record<string, unknown>>;
      }
  )[];
  readonly command?: string;
  readonly args?: readonly (string | number)[];
  readonly env?: Readonly<Record<string, string | number | boolean>>;
  readonly cwd?: string;
  /** Default `60s`. */
  readonly timeout?: Duration;
  /** Of one result. Default `10MiB`. */
  readonly maxResult?: Size;
  /** Names of tools, where `*` stands for any characters. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** The agent that shows every feature of A2A. */
export interface ReferenceAgentSettings extends CommonAgentSettings {
  readonly kind: 'reference';
}

/** An agent, as a configuration file describes it. */
export type AgentFileSettings =
  | ModuleAgentSettings
  | UpstreamAgentSettings
  | ToolsAgentSettings
  | ReferenceAgentSettings;

/** Which callers may read and write, by the ids that the rules are for. */
type KnowledgeAccess = Readonly<
  Record<string, { readonly read?: readonly string[]; readonly write?: readonly string[] }>
>;

export interface KnowledgeFileSettings {
  /** Path of a file of SHACL shapes. */
  readonly shapes?: string;
  /** Path of a module that exports rules by default. */
  readonly rules?: string;
  readonly protected?: { readonly graphs?: KnowledgeAccess; readonly predicates?: KnowledgeAccess };
  /** From 0 to 1. */
  readonly minCertainty?: number;
  /** Whether statements must have a provenance, or the keys that it must have. */
  readonly requireProvenance?: boolean | readonly string[];
  readonly requireJustification?: boolean;
  /** A graph database that keeps the knowledge. Default: the gateway's own store. */
  readonly sparql?: {
    readonly query: string;
    readonly update: string;
    readonly auth?: OutboundAuthFileSettings;
    readonly defaultGraph?: string;
    readonly timeout?: Duration;
  };
  /** Paths of files that a new graph is filled from. */
  readonly import?: readonly string[];
}
