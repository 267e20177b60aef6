// Generated from src/config by scripts/reference. Do not edit.

/**
 * The settings of a configuration file, and of programs, as types: `…Settings` as they are written, and `…Config` as the
 * gateway uses them, with defaults, milliseconds and bytes. They need no other package.
 */

/** Settings of a gateway, all of them optional. */
export interface FileSettings {
  /** Where and how the gateway listens. */
  readonly listen?: ListenSettings;
  /** Location of the tasks: memory, an SQLite file, or PostgreSQL. Default `sqlite:./data/gateway.db`. */
  readonly store?: string;
  /** NATS servers that carry notifications between replicas: `nats://HOST:4222` or `tls://HOST:4222`, with user and password or a token if required. Separate several servers with commas. Default: PostgreSQL carries notifications. */
  readonly notifications?: string;
  /** Whether acknowledged events survive only the end of the process (`process`), or also a power failure (`full`). Default `process`. */
  readonly durability?: 'process' | 'full';
  /** Whether operators can search tasks for words in messages, artifacts and statuses. The index contains the words in the first 32 KiB of a task. Default `false`. */
  readonly fullText?: boolean;
  /** Ages after which data is deleted. */
  readonly retention?: RetentionSettings;
  /** How callers authenticate. */
  readonly auth?: AuthFileSettings;
  /** Limits for each caller, each request, and the memory of the process. */
  readonly limits?: LimitsSettings;
  /** Contents of agent cards, and their signatures. */
  readonly cards?: CardsSettings;
  /** Dialects to serve whose specification is not published yet. */
  readonly preview?: readonly string[];
  /** Name of the agent that also answers at the root. Default: the only agent, if there is just one. */
  readonly defaultAgent?: string;
  /** Agents by name. */
  readonly agents?: Readonly<Record<string, AgentFileSettings>>;
  /** Agents that are registered while the gateway runs. */
  readonly registration?: RegistrationSettings;
  /** Conditions in CEL that decide which calls are refused, and for which calls people are asked. */
  readonly policies?: readonly PolicySettings[];
  /** Judges of the messages of callers and the answers of agents, in their order. */
  readonly guards?: readonly GuardSettings[];
  /** Deadlines, reminders, delegates and the webhook for questions of agents. */
  readonly questions?: QuestionsSettings;
  /** Services in which people decide about calls and answer questions. */
  readonly approvals?: ApprovalsSettings;
  /** Announced ends of generations of A2A, by dialect. */
  readonly sunset?: Readonly<Record<string, SunsetSettings>>;
  /** Whether the store keeps failed and slow calls for operators, and counts per minute by agent, caller and generation; or for how long, and which calls. With false, the last failed call of each agent is not kept in memory either. Default `true`. */
  readonly calls?: boolean | CallsSettings;
  /** Targets chosen by callers or agents that the gateway may call. */
  readonly outbound?: OutboundSettings;
  /** How push notifications are delivered. */
  readonly push?: PushSettings;
  /** How the gateway stops. */
  readonly shutdown?: ShutdownSettings;
  /** Contents and level of the log. */
  readonly log?: LogSettings;
  /** Receiver of traces, metrics and log lines. Default: the environment variables of OpenTelemetry decide. */
  readonly tracing?: TracingSettings;
  /** Whether the gateway serves its own pages: `/healthz`, `/readyz`, `/agents`, `/metrics`, `/openapi.json` and the catalogs, `/.well-known/ai-catalog.json` and `/.well-known/api-catalog`. A list names the pages to serve. With false, they are left to the app that embeds the gateway. A gateway attached to the server of an app serves only `/agents` and the pages that are named. Default `true`. */
  readonly pages?: boolean | readonly ('/healthz' | '/readyz' | '/agents' | '/metrics' | '/openapi.json' | '/.well-known/ai-catalog.json' | '/.well-known/api-catalog')[];
  /** Whether the gateway serves the console at `/console/`, or settings of the console. Default: true unless `pages` is false. */
  readonly console?: boolean | {
    /** URL of a page that shows a trace, with `{traceId}` for its id. Default: traces are not linked. */
    readonly traces?: string;
    /** Whether lists of tasks show the request, and the reason why a task ended or waits. With false, neither is stored for lists. Default `true`. */
    readonly content?: boolean;
    /** Sign-in to the console with OpenID Connect, at the provider of `auth.jwt`. Its access tokens must be accepted by `auth.jwt`. */
    readonly signIn?: {
      /** The console's client id at the provider. */
      readonly clientId: string;
      /** The client's secret. Default: none, for a public client. */
      readonly clientSecret?: string;
      /** The scopes to request in addition to `openid`. Default: `auth.jwt.clientScopes`. */
      readonly scopes?: readonly string[];
      /** Further parameters of the requests for a code and for a token, such as `resource` or `audience`, if the provider needs them to issue tokens for this gateway. */
      readonly parameters?: Readonly<Record<string, string>>;
    };
  };
  /** Number of processes that serve on the port, or `auto` for one per core. More than one requires PostgreSQL. Only `a2a-gateway serve` starts several processes. Default `1`. */
  readonly workers?: number | 'auto';
  /** Whether the gateway reloads when files change, as on SIGHUP: this file, `agents.d/*.yaml` next to it, and the files that they name. Default `false`. */
  readonly watch?: boolean;
}

/** Where and how the gateway listens. */
export interface ListenSettings {
  /** A host name or address. `localhost` means both loopback addresses. Default `localhost`. */
  readonly host?: string;
  /** The port. With 0, the system chooses a free port. Default `8080`. */
  readonly port?: number;
  /** URL that cards advertise, such as `https://agents.example.com`. Required if `host` is not a loopback address. */
  readonly publicUrl?: string;
  /** Origins of browser clients, in addition to the gateway's own. `*` stands for all origins. */
  readonly cors?: readonly string[];
  /** Whether the port is open while the gateway starts. If so, requests receive 503 and `/healthz` returns 200. Otherwise connections are refused until the gateway is ready, so that load balancers use another replica. Default `false`. */
  readonly whileStarting?: boolean;
  /** TLS for the listener. Default: none. */
  readonly tls?: {
    /** The certificate and its chain. */
    readonly cert: string;
    /** The private key of the certificate. */
    readonly key: string;
    /** Certificate authorities whose client certificates are accepted. */
    readonly clientCa?: string;
  };
}

/** Ages after which data is deleted. */
export interface RetentionSettings {
  /** Age after which a task at rest is deleted, or `forever`. Default `30d`. */
  readonly tasks?: Duration;
  /** Age after which changes of knowledge are deleted, so that subscribers can no longer read missed ones, or `forever`. Default `30d`. */
  readonly changes?: Duration;
}

/** How callers authenticate. */
export interface AuthFileSettings {
  /** Whether callers without credentials are admitted. Default: callers on this machine are, if only this machine can reach the gateway. */
  readonly anonymous?: boolean;
  /** Callers with an API key. */
  readonly apiKeys?: readonly {
    /** The name of the caller in logs and rules. */
    readonly name: string;
    /** Hash of the key, printed by `a2a-gateway keys new`. */
    readonly hash: string;
    /** Names of the agents that the caller may call. Default: all. */
    readonly agents?: readonly string[];
    /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
    readonly scopes?: readonly string[];
    /** Tenants that the caller may name. A caller with one tenant need not name it. Default: any. */
    readonly tenants?: readonly string[];
  }[];
  /** The header for API keys. Default `X-Api-Key`. */
  readonly apiKeyHeader?: string;
  /** Tokens from an identity provider. */
  readonly jwt?: {
    /** The issuer of the tokens. */
    readonly issuer: string;
    /** The audience of this gateway, or a list of audiences of which a token must contain one. */
    readonly audience: string | readonly string[];
    /** URL of the provider's public keys. */
    readonly jwksUrl: string;
    /** Accepted signature algorithms. Default: all of these. */
    readonly algorithms?: readonly ('RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA' | 'Ed25519')[];
    /** The type that tokens must have in their header, such as `at+jwt`. */
    readonly typ?: string;
    /** Accepted difference between clocks. Default `5s`. */
    readonly clockTolerance?: Duration;
    /** The claim that contains a token's scopes. Default: `scope` or `scp`. */
    readonly scopeClaim?: string;
    /** Scopes that clients should request from the provider, announced in `WWW-Authenticate` and the metadata. Default: none. */
    readonly clientScopes?: readonly string[];
    /** Names of the agents that the caller may call. Default: all. */
    readonly agents?: readonly string[];
    /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
    readonly scopes?: readonly string[];
    /** Tenants that the caller may name. A caller with one tenant need not name it. Default: any. */
    readonly tenants?: readonly string[];
  };
  /** The built-in token endpoint, for the client-credentials grant. */
  readonly tokenEndpoint?: {
    /** The clients that may request tokens. */
    readonly clients: readonly {
      /** The client's id. */
      readonly id: string;
      /** Hash of the client's secret, printed by `a2a-gateway keys new`. */
      readonly hash: string;
      /** Names of the agents that the caller may call. Default: all. */
      readonly agents?: readonly string[];
      /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
      readonly scopes?: readonly string[];
      /** Tenants that the caller may name. A caller with one tenant need not name it. Default: any. */
      readonly tenants?: readonly string[];
    }[];
    /** Time for which a token is valid. Default `1h`. */
    readonly lifetime?: Duration;
  };
  /** Client certificates issued by the authorities in `listen.tls.clientCa`. */
  readonly mtls?: {
    /** Clients by their certificates. Each needs `commonName`, `altName` or `fingerprint`. */
    readonly clients?: readonly {
      /** The name of the caller in logs and rules. */
      readonly name: string;
      /** Common name of the certificate's subject. */
      readonly commonName?: string;
      /** An alternative name with its kind: `URI:spiffe://example.com/agent`, `DNS:…`, `email:…` or `IP:…`. */
      readonly altName?: string;
      /** SHA-256 of the public key of the authority that issued it. Required if `clientCa` contains several authorities, unless `fingerprint` is given. */
      readonly authority?: string;
      /** SHA-256 of the certificate. */
      readonly fingerprint?: string;
      /** Names of the agents that the caller may call. Default: all. */
      readonly agents?: readonly string[];
      /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
      readonly scopes?: readonly string[];
      /** Tenants that the caller may name. A caller with one tenant need not name it. Default: any. */
      readonly tenants?: readonly string[];
    }[];
    /** Whether certificates that match no client are accepted. Default: `accept` if no `clients` are configured. */
    readonly others?: 'accept' | 'refuse';
    /** Whether connections without a certificate are refused. Default: true if callers have no other way to authenticate. */
    readonly required?: boolean;
  };
  /** Whether cards can be read without credentials. Default: true if callers can or must authenticate. */
  readonly publicCards?: boolean;
  /** Number of wrong credentials from one network within a minute after which callers in this network are accepted only with credentials that were valid before. Default `20`. */
  readonly failuresPerMinute?: Count;
  /** Path of a module that authenticates or authorizes callers, in addition to the methods above. */
  readonly module?: string;
  /** Settings for the module, which it checks itself. */
  readonly config?: unknown;
  /** Strings for the module, such as keys of other services. */
  readonly env?: Readonly<Record<string, string>>;
  /** Time within which a hook must answer. Default `5s`. */
  readonly timeout?: Duration;
}

/** A string such as `500ms`, `30s`, `10m`, `12h` or `30d`. */
export type Duration = string;

/** A whole number above zero. */
export type Count = number | 'unlimited';

/** Limits for each caller, each request, and the memory of the process. */
export interface LimitsSettings {
  /** Maximum size of a request body. Default `10MiB`. */
  readonly body?: Size;
  /** Maximum number of parts in one message of a request. Default `10000`. */
  readonly parts?: Count;
  /** Maximum number of keys in one object of a request, such as the metadata of a message. Default `10000`. */
  readonly keys?: Count;
  /** Maximum number of values in one request: the items of all its lists and the members of all its objects. Default `250000`. */
  readonly values?: Count;
  /** Maximum size of a request's headers. Default `16KiB`. */
  readonly headers?: Size;
  /** Time within which a blocking call must be answered. Default `300s`. */
  readonly answer?: Duration;
  /** Time within which a request must arrive. Default `30s`. */
  readonly requestTimeout?: Duration;
  /** Time within which a client must read each MiB that is sent to it. Default `30s`. */
  readonly slowReader?: Duration;
  /** Maximum number of requests per minute from one principal, or from one network of anonymous callers. Default: 600; unlimited if only this machine can reach the gateway. */
  readonly requestsPerMinute?: Count;
  /** Maximum number of concurrent streams of one principal. Default: 100; unlimited if only this machine can reach the gateway. */
  readonly streams?: Count;
  /** Maximum number of concurrent streams of one task. Default: 100; unlimited if only this machine can reach the gateway. */
  readonly streamsPerTask?: Count;
  /** Size after which a page of a list ends. Default `8MiB`. */
  readonly page?: Size;
  /** Memory for large requests and responses of all connections together, at most a third of the heap. Default `256MiB`. */
  readonly buffered?: Size;
  /** Maximum size of the JSON that an agent stores for one task, or for one context. Default `1MiB`. */
  readonly state?: Size;
  /** Maximum size of the events of one task as JSON. A task that would become larger fails. Default `64MiB`. */
  readonly task?: Size;
  /** Maximum number of concurrent connections. Default `unlimited`. */
  readonly connections?: Count;
  /** Limits of a whole tree of calls, even across gateways. */
  readonly root?: {
    /** Maximum number of calls of agents in one tree. */
    readonly calls?: Count;
    /** Maximum number of agents in a chain of calls, including the first. */
    readonly depth?: Count;
    /** Maximum duration of the first task and all tasks below it. */
    readonly time?: Duration;
    /** Maximum size of the events of all tasks of the tree together. */
    readonly bytes?: Size;
    /** Maximum total cost that the agents of the tree report. */
    readonly cost?: number;
    /** Maximum number of times that an agent may be called again within its own tree. Default `0`. */
    readonly reentries?: number;
    /** The name of this gateway in paths, which must be equal at all its replicas. Default: the host of `listen.publicUrl`. */
    readonly gateway?: string;
    /** Keys that the gateways of one operator share. The first key signs the paths of calls; signatures of all keys are accepted. Default: no path is sent or accepted. */
    readonly keys?: readonly string[];
  };
  /** Limits of push notifications. */
  readonly webhooks?: {
    /** Maximum number of push configurations of one task. Default `20`. */
    readonly perTask?: Count;
    /** Maximum number of push configurations of one principal that have undelivered events, or whose tasks have not ended. Default `1000`. */
    readonly perPrincipal?: Count;
    /** Maximum number of notifications to one host within a minute. Default `6000`. */
    readonly perMinute?: Count;
  };
}

/** A number of bytes, or a string such as `512KiB` or `10MiB`. */
export type Size = number | string;

/** Contents of agent cards, and their signatures. */
export interface CardsSettings {
  /** The key that signs cards. Default: cards are not signed. */
  readonly signing?: {
    /** The private key. */
    readonly key: string;
    /** The key's id in signatures. Default: the id in a JWK file, or the key's thumbprint. */
    readonly kid?: string;
    /** Earlier keys, still published so that cached cards can be verified. */
    readonly previous?: readonly SigningKeySettings[];
  };
  /** The bindings that cards list. Default: all except `GRPC-WEB`. */
  readonly interfaces?: readonly ListedBinding[];
  /** The bindings that cards list for single dialects, by dialect. */
  readonly dialects?: { readonly [K in 'a2a-1.0' | 'a2a-1.1' | 'a2a-0.3' | 'a2a-0.2' | 'a2a-0.1' | 'agentvault-0.2' | 'a2a-php-0.3']?: {
    /** The bindings that cards list for this dialect. */
    readonly interfaces: readonly ListedBinding[];
  } };
}

/** Earlier keys, still published so that cached cards can be verified. */
export interface SigningKeySettings {
  /** The private key. */
  readonly key: string;
  /** The key's id in signatures. Default: the id in a JWK file, or the key's thumbprint. */
  readonly kid?: string;
}

/** The bindings that cards list. Default: all except `GRPC-WEB`. */
export type ListedBinding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC' | 'GRPC-WEB';

/** An agent, as a configuration file describes it. */
export type AgentFileSettings = ReferenceAgentSettings | ModuleAgentSettings | UpstreamAgentSettings | ToolsAgentSettings;

/** Agents by name. */
export interface ReferenceAgentSettings {
  /** The agent that shows every feature of A2A. */
  readonly kind: 'reference';
  /** Hosts at whose root the agent is served. */
  readonly hosts?: readonly string[];
  /** Settings for the agent's cards that differ from those of other agents. */
  readonly cards?: CardListingSettings;
  /** Whether the gateway keeps a knowledge graph for the agent, or the rules for it. Default `false`. */
  readonly knowledge?: boolean | KnowledgeFileSettings;
  /** Settings for the agent's questions that differ from those of all agents. */
  readonly questions?: QuestionsSettings;
  /** Handling of a message to a task on which the agent is working. `queue`: the message waits until the earlier turns have ended. `forward`: the message is sent on at once; only for upstream agents. `refuse`: the caller receives an error. Default: `forward` for upstream agents, `queue` for others. */
  readonly whileRunning?: 'queue' | 'forward' | 'refuse';
}

/** Settings for the agent's cards that differ from those of other agents. */
export interface CardListingSettings {
  /** The bindings that cards list. Default: all except `GRPC-WEB`. */
  readonly interfaces?: readonly ListedBinding[];
  /** The bindings that cards list for single dialects, by dialect. */
  readonly dialects?: { readonly [K in 'a2a-1.0' | 'a2a-1.1' | 'a2a-0.3' | 'a2a-0.2' | 'a2a-0.1' | 'agentvault-0.2' | 'a2a-php-0.3']?: {
    /** The bindings that cards list for this dialect. */
    readonly interfaces: readonly ListedBinding[];
  } };
}

/** Whether the gateway keeps a knowledge graph for the agent, or the rules for it. Default `false`. */
export interface KnowledgeFileSettings {
  /** A file of SHACL shapes that the knowledge must conform to. */
  readonly shapes?: string;
  /** A module whose default export is a rule, or a list of rules. */
  readonly rules?: string;
  /** Graphs and predicates that only some callers may read or write. */
  readonly protected?: {
    /** Rules by the ids of graphs, or prefixes of ids followed by `*`. An empty id stands for the default graph. */
    readonly graphs?: KnowledgeAccess;
    /** Rules by the ids of predicates, or prefixes of ids followed by `*`. */
    readonly predicates?: KnowledgeAccess;
  };
  /** Minimum certainty of statements, from 0 to 1. Statements with less are rejected; a statement without a certainty counts as certain. Default: none. */
  readonly minCertainty?: number;
  /** Whether statements must have a provenance, or the keys that it must have. Default false. */
  readonly requireProvenance?: boolean | readonly string[];
  /** Whether updates must have a justification. Default false. */
  readonly requireJustification?: boolean;
  /** The graph database that stores the knowledge. Default: the gateway's own store. */
  readonly sparql?: {
    /** The URL for queries. */
    readonly query: string;
    /** The URL for updates. */
    readonly update: string;
    /** The gateway's credentials at the database. Default: none. */
    readonly auth?: OutboundAuthFileSettings;
    /** URI of the graph that serves as the default graph of callers without a tenant. Default: the database's own. */
    readonly defaultGraph?: string;
    /** Time within which a query or an update must end. Default `30s`. */
    readonly timeout?: Duration;
  };
  /** Files to import into a new graph, in Turtle, N-Triples or N-Quads. */
  readonly import?: readonly string[];
}

/** Callers that may read and write, by the ids to which the rules apply. */
export type KnowledgeAccess = Readonly<Record<string, {
  /** Callers that may read. Default: all. */
  readonly read?: readonly string[];
  /** Callers that may write and also read. Default: none. */
  readonly write?: readonly string[];
}>>;

/** The gateway's credentials at a graph database. */
export type OutboundAuthFileSettings = {
  /** An API key in a header. */
  readonly type: 'apiKey';
  /** The key. */
  readonly key: string;
  /** The header for the key. Default: the header that the agent's card names, otherwise `X-Api-Key`. */
  readonly header?: string;
} | {
  /** A bearer token. */
  readonly type: 'bearer';
  /** The token. */
  readonly token: string;
} | {
  /** A user name and a password (HTTP Basic). */
  readonly type: 'basic';
  /** The user name. */
  readonly username: string;
  /** The password. */
  readonly password: string;
} | {
  /** Client credentials for tokens from an OAuth 2 token endpoint. */
  readonly type: 'oauth2';
  /** The URL of the token endpoint. */
  readonly tokenUrl: string;
  /** The client's id. */
  readonly clientId: string;
  /** The client's secret. */
  readonly clientSecret: string;
  /** The scopes to request. */
  readonly scopes?: readonly string[];
} | {
  /** A client certificate, which requires an https URL. */
  readonly type: 'mtls';
  /** The certificate. */
  readonly cert: string;
  /** Its private key. */
  readonly key: string;
  /** The authorities that sign the server's certificate. Default: those of the system. */
  readonly ca?: string;
} | {
  /** Each caller's own credentials. */
  readonly type: 'forward';
};

/** Settings for the agent's questions that differ from those of all agents. */
export interface QuestionsSettings {
  /** Time for which a question waits for an answer. For a single agent, `forever` removes the deadline. Default: `forever`. */
  readonly deadline?: Duration;
  /** Outcome if no answer arrives in time: the task fails (`fail`), or the agent receives the default answer. Default `fail`. */
  readonly otherwise?: 'fail' | DefaultAnswer;
  /** Time after a question at which the gateway sends a reminder. Default: never. */
  readonly remind?: Duration;
  /** A caller with the scope `questions` who may answer in addition to the owner of the task. Default: none. */
  readonly for?: string;
  /** The webhook that receives every question, with a link for the answer. Default: none. */
  readonly webhook?: QuestionWebhook;
}

/** Outcome if no answer arrives in time: the task fails (`fail`), or the agent receives the default answer. Default `fail`. */
export interface DefaultAnswer {
  /** A string, or data that conforms to the schema of the question. */
  readonly answer: unknown;
}

/** The webhook that receives every question, with a link for the answer. Default: none. */
export interface QuestionWebhook {
  /** The URL to which questions are sent. The guard of `outbound` applies. */
  readonly url: string;
  /** Sent as `X-A2A-Notification-Token`. Default: none. */
  readonly token?: string;
  /** Sent as `Authorization`. Default: none. */
  readonly authentication?: {
    /** The scheme of `Authorization`. */
    readonly scheme: string;
    /** The credentials of `Authorization`. */
    readonly credentials: string;
  };
  /** Time for which a link is valid, unless the question ends earlier. Default `7d`. */
  readonly links?: Duration;
}

/** Agents by name. */
export interface ModuleAgentSettings {
  /** An agent in a JavaScript or TypeScript module. */
  readonly kind: 'module';
  /** Path of the module. */
  readonly path: string;
  /** Settings for the module, which it checks itself. */
  readonly config?: unknown;
  /** Strings for the module, such as keys of other services. */
  readonly env?: Readonly<Record<string, string>>;
  /** Hosts at whose root the agent is served. */
  readonly hosts?: readonly string[];
  /** Settings for the agent's cards that differ from those of other agents. */
  readonly cards?: CardListingSettings;
  /** Whether the gateway keeps a knowledge graph for the agent, or the rules for it. Default `false`. */
  readonly knowledge?: boolean | KnowledgeFileSettings;
  /** Settings for the agent's questions that differ from those of all agents. */
  readonly questions?: QuestionsSettings;
  /** Handling of a message to a task on which the agent is working. `queue`: the message waits until the earlier turns have ended. `forward`: the message is sent on at once; only for upstream agents. `refuse`: the caller receives an error. Default: `forward` for upstream agents, `queue` for others. */
  readonly whileRunning?: 'queue' | 'forward' | 'refuse';
}

/** Agents by name. */
export interface UpstreamAgentSettings {
  /** An A2A agent at a URL. */
  readonly kind: 'upstream';
  /** The agent's base URL or the URL of its card; for an agent with several copies, a list of their URLs. */
  readonly url: string | readonly string[];
  /** The dialect that the agent speaks. `auto` detects it. Default `auto`. */
  readonly dialect?: 'auto' | 'a2a-1.0' | 'a2a-1.1' | 'a2a-0.3' | 'a2a-0.2' | 'a2a-0.1' | 'agentvault-0.2' | 'a2a-php-0.3';
  /** The binding over which the agent is called. `auto` detects it. Default `auto`. */
  readonly transport?: 'auto' | 'jsonrpc' | 'rest' | 'grpc' | 'connect';
  /** Time without an event or a response after which a task fails. Default `10m`. */
  readonly silence?: Duration;
  /** Whether the gateway keeps the agent's tasks (`tasks`), or only translates calls (`none`). Default `tasks`. */
  readonly keep?: 'tasks' | 'none';
  /** Whether the gateway uses HTTP/2 if the agent has TLS and prefers HTTP/2. gRPC always uses HTTP/2. Default `false`. */
  readonly http2?: boolean;
  /** Whether calls carry `A2A-Gateway-Path` if `limits.root.keys` are set, because the agent is behind another gateway with such a key. Default `false`. */
  readonly path?: boolean;
  /** Whether a request is refused if a conversion would drop one of its fields. Default `false`. */
  readonly strict?: boolean;
  /** Deviations of the agent's software from its dialect. Default: detected. */
  readonly quirks?: {
    /** Whether the agent uses base64 text instead of the bytes of a file. */
    readonly base64Bytes?: boolean;
    /** Whether the agent accepts fields that were added after the schema of 0.3.0. */
    readonly laterFields?: boolean;
  };
  /** Members that replace those of the agent's card, in the form of A2A 1.0, or in the form of the agent's own version for members that only it defines, such as `url`. Objects are merged by member, lists are replaced, and null removes a member. */
  readonly card?: Readonly<Record<string, unknown>>;
  /** Handling of the extensions in the agent's card. */
  readonly extensions?: {
    /** Whether a message that does not name the extensions required by the agent's card is refused. Default `true`. */
    readonly enforce?: boolean;
  };
  /** The gateway's credentials at the agent. Default: none. */
  readonly auth?: UpstreamAuthFileSettings;
  /** The keys that must have signed the agent's card. Default: no signature is required. */
  readonly trust?: {
    /** The trusted keys: the https URL of a JWK set, or the path of a file. */
    readonly jwks: string;
    /** Whether a card without signatures is refused. A card with only invalid signatures is always refused. Default `true`. */
    readonly required?: boolean;
  };
  /** Hosts at whose root the agent is served. */
  readonly hosts?: readonly string[];
  /** Settings for the agent's cards that differ from those of other agents. */
  readonly cards?: CardListingSettings;
  /** Whether the gateway keeps a knowledge graph for the agent, or the rules for it. Default `false`. */
  readonly knowledge?: boolean | KnowledgeFileSettings;
  /** Settings for the agent's questions that differ from those of all agents. */
  readonly questions?: QuestionsSettings;
  /** Handling of a message to a task on which the agent is working. `queue`: the message waits until the earlier turns have ended. `forward`: the message is sent on at once; only for upstream agents. `refuse`: the caller receives an error. Default: `forward` for upstream agents, `queue` for others. */
  readonly whileRunning?: 'queue' | 'forward' | 'refuse';
}

/** The gateway's credentials at an upstream agent. */
export type UpstreamAuthFileSettings = {
  /** An API key in a header. */
  readonly type: 'apiKey';
  /** The key. */
  readonly key: string;
  /** The header for the key. Default: the header that the agent's card names, otherwise `X-Api-Key`. */
  readonly header?: string;
} | {
  /** A bearer token. */
  readonly type: 'bearer';
  /** The token. */
  readonly token: string;
} | {
  /** A user name and a password (HTTP Basic). */
  readonly type: 'basic';
  /** The user name. */
  readonly username: string;
  /** The password. */
  readonly password: string;
} | {
  /** Client credentials for tokens from an OAuth 2 token endpoint. */
  readonly type: 'oauth2';
  /** The URL of the token endpoint. */
  readonly tokenUrl: string;
  /** The client's id. */
  readonly clientId: string;
  /** The client's secret. */
  readonly clientSecret: string;
  /** The scopes to request. */
  readonly scopes?: readonly string[];
} | {
  /** A client certificate, which requires an https URL. */
  readonly type: 'mtls';
  /** The certificate. */
  readonly cert: string;
  /** Its private key. */
  readonly key: string;
  /** The authorities that sign the server's certificate. Default: those of the system. */
  readonly ca?: string;
} | {
  /** Each caller's own credentials. */
  readonly type: 'forward';
} | {
  /** A token for each caller, issued in exchange for the caller's own token (token exchange, RFC 8693). */
  readonly type: 'exchange';
  /** The URL of the token endpoint. */
  readonly tokenUrl: string;
  /** The gateway's id at the issuer. */
  readonly clientId: string;
  /** The gateway's secret at the issuer. */
  readonly clientSecret: string;
  /** The audience of the token: the agent's name at the issuer. A JWT for another audience is refused. */
  readonly audience?: string;
  /** The audience as a URL (resource indicator, RFC 8707). */
  readonly resource?: string;
  /** The scopes to request. */
  readonly scopes?: readonly string[];
  /** Further fields of the form that an issuer requires. `audience` and `resource` are not verified if they are given here. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The claim that must be equal in the caller's token and in the new token if both are JWTs of one issuer. Use `""` for an issuer that gives each client different names for its users. Default `sub`. */
  readonly subjectClaim?: string;
  /** The token to exchange. `caller`: the caller's token; callers without one are refused. `callerOrActor`: the `actor`'s token for callers without one. Default `caller`. */
  readonly subject?: 'caller' | 'callerOrActor';
  /** Type of the caller's token, as sent to the issuer. Default `access_token`. */
  readonly subjectTokenType?: 'access_token' | 'jwt' | 'id_token';
  /** The gateway's own token, sent as `actor_token`, which identifies the party that acts on behalf of the caller. Default: none. */
  readonly actor?: {
    /** A bearer token. */
    readonly type: 'bearer';
    /** The token. */
    readonly token: string;
  } | {
    /** Client credentials for tokens from an OAuth 2 token endpoint. */
    readonly type: 'oauth2';
    /** The URL of the token endpoint. */
    readonly tokenUrl: string;
    /** The client's id. */
    readonly clientId: string;
    /** The client's secret. */
    readonly clientSecret: string;
    /** The scopes to request. */
    readonly scopes?: readonly string[];
  };
} | {
  /** A token for each caller, issued for a JWT about the caller (JWT bearer grant, RFC 7523). */
  readonly type: 'jwtBearer';
  /** The URL of the token endpoint. */
  readonly tokenUrl: string;
  /** The gateway's id at the issuer. Default: none is sent. */
  readonly clientId?: string;
  /** The gateway's secret at the issuer. Default: none is sent. */
  readonly clientSecret?: string;
  /** The audience of the token: the agent's name at the issuer. A JWT for another audience is refused. */
  readonly audience?: string;
  /** The audience as a URL (resource indicator, RFC 8707). */
  readonly resource?: string;
  /** The scopes to request. */
  readonly scopes?: readonly string[];
  /** Further fields of the form that an issuer requires. `audience` and `resource` are not verified if they are given here. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The claim that must be equal in the caller's token and in the new token if both are JWTs of one issuer. Use `""` for an issuer that gives each client different names for its users. Default `sub`. */
  readonly subjectClaim?: string;
  /** The key that signs the JWT: RSA, EC or Ed25519. Default: the JWT is the caller's own token. */
  readonly privateKey?: string;
  /** The `kid` of the key. Default: none. */
  readonly keyId?: string;
  /** The `iss` of the JWT. Default: `clientId`. */
  readonly issuer?: string;
  /** The `aud` of the JWT. Default: `tokenUrl`. */
  readonly assertionAudience?: string;
  /** The `sub` of a JWT that the gateway signs. `caller`: the `sub` of the caller's verified token (`auth.jwt`); callers without one are refused. `principal`: the id of the caller's principal, such as `key:alice`. Default `caller`. */
  readonly subject?: 'caller' | 'principal';
};

/** Agents by name. */
export interface ToolsAgentSettings {
  /** An agent that calls tools of MCP servers. */
  readonly kind: 'mcp';
  /** Servers by the ids that callers use. Default: the servers in `MCP_SERVER_MAP`. */
  readonly servers?: Readonly<Record<string, ToolServerFileSettings>>;
  /** Hosts at whose root the agent is served. */
  readonly hosts?: readonly string[];
  /** Settings for the agent's cards that differ from those of other agents. */
  readonly cards?: CardListingSettings;
  /** Whether the gateway keeps a knowledge graph for the agent, or the rules for it. Default `false`. */
  readonly knowledge?: boolean | KnowledgeFileSettings;
  /** Settings for the agent's questions that differ from those of all agents. */
  readonly questions?: QuestionsSettings;
  /** Handling of a message to a task on which the agent is working. `queue`: the message waits until the earlier turns have ended. `forward`: the message is sent on at once; only for upstream agents. `refuse`: the caller receives an error. Default: `forward` for upstream agents, `queue` for others. */
  readonly whileRunning?: 'queue' | 'forward' | 'refuse';
}

/** A tool server: at a URL, or a program. */
export interface ToolServerFileSettings {
  /** The server's URL. Either `url` or `command` is required. */
  readonly url?: string;
  /** Protocol of the server at a URL: MCP, or AgentVault's pattern with one method per tool. Default `mcp`. */
  readonly style?: 'mcp' | 'method-per-tool';
  /** The newest version of MCP to use, for servers that support fewer features in newer versions. Default `auto`: the newest version that the server supports. */
  readonly protocol?: 'auto' | '2025-11-25';
  /** The gateway's credentials at the server. Default: none. */
  readonly auth?: ToolServerAuthFileSettings;
  /** The tools of a server with `method-per-tool`, which cannot list them. */
  readonly tools?: readonly (string | {
    /** The tool's name. */
    readonly name: string;
    /** Description of the tool. */
    readonly description?: string;
    /** The JSON Schema of the tool's arguments. */
    readonly inputSchema?: Readonly<Record<string, unknown>>;
  })[];
  /** The program of a server, which the gateway starts and calls over standard input and output. */
  readonly command?: string;
  /** Arguments of the program. */
  readonly args?: readonly (string | number)[];
  /** Environment variables of the program, in addition to the few that every program needs. */
  readonly env?: Readonly<Record<string, string | number | boolean>>;
  /** The working directory of the program. */
  readonly cwd?: string;
  /** Time without a result or progress after which a tool call is canceled. Default `60s`. */
  readonly timeout?: Duration;
  /** Time for which a tool call waits for the answer to a question of the server, in MCP 2025-11-25 or earlier. Default `1h`. */
  readonly answerTimeout?: Duration;
  /** Time within which a tool call that became an MCP task must end. It starts again after each answer to a question. Default `1h`. */
  readonly taskTimeout?: Duration;
  /** Paths or `file:` URIs of folders that the server receives through `roots/list`. Default: none. */
  readonly roots?: readonly string[];
  /** Whether calls carry `a2a-gateway/path` if `limits.root.keys` are set, because the server is another gateway with such a key. Default false. */
  readonly path?: boolean;
  /** The agent that answers the server's sampling requests, on behalf of the caller. Default: none; sampling requests are refused. */
  readonly sampling?: string;
  /** Maximum size of one result. Default `10MiB`. */
  readonly maxResult?: Size;
  /** Names of tools that may be called. `*` matches any characters. Default: all tools. */
  readonly allow?: readonly string[];
  /** Names of tools that may not be called, even if `allow` lists them. `*` matches any characters. */
  readonly deny?: readonly string[];
}

/** The gateway's credentials at a tool server. */
export type ToolServerAuthFileSettings = {
  /** An API key in a header. */
  readonly type: 'apiKey';
  /** The key. */
  readonly key: string;
  /** The header for the key. Default: the header that the agent's card names, otherwise `X-Api-Key`. */
  readonly header?: string;
} | {
  /** A bearer token. */
  readonly type: 'bearer';
  /** The token. */
  readonly token: string;
} | {
  /** A user name and a password (HTTP Basic). */
  readonly type: 'basic';
  /** The user name. */
  readonly username: string;
  /** The password. */
  readonly password: string;
} | {
  /** Client credentials for tokens from an OAuth 2 token endpoint. */
  readonly type: 'oauth2';
  /** The URL of the token endpoint. */
  readonly tokenUrl: string;
  /** The client's id. */
  readonly clientId: string;
  /** The client's secret. */
  readonly clientSecret: string;
  /** The scopes to request. */
  readonly scopes?: readonly string[];
} | {
  /** A client certificate, which requires an https URL. */
  readonly type: 'mtls';
  /** The certificate. */
  readonly cert: string;
  /** Its private key. */
  readonly key: string;
  /** The authorities that sign the server's certificate. Default: those of the system. */
  readonly ca?: string;
} | {
  /** Each caller's own credentials. */
  readonly type: 'forward';
} | {
  /** Client credentials for tokens from the authorization server that an MCP server names. */
  readonly type: 'oauth2Discovery';
  /** The issuer of the authorization server. The MCP server must name it, and only it receives the credentials. */
  readonly issuer: string;
  /** The client's id. */
  readonly clientId: string;
  /** The client's secret. Either `clientSecret` or `privateKey` is required. */
  readonly clientSecret?: string;
  /** The private key that signs the assertions of the client (`private_key_jwt`): RSA, EC or Ed25519. */
  readonly privateKey?: string;
  /** The only scopes to request. Default: the scopes that the server names, and further ones if a call needs them. */
  readonly scopes?: readonly string[];
};

/** Agents that are registered while the gateway runs. */
export interface RegistrationSettings {
  /** Whether callers with the scope `agents` may register agents while the gateway runs. Default `false`. */
  readonly allow?: boolean;
  /** Cards that an operator must approve: `always` means every new card, `changes` all but the first card of an agent, `never` none. Default `always`. */
  readonly approve?: 'always' | 'changes' | 'never';
}

/** Conditions in CEL that decide which calls are refused, and for which calls people are asked. */
export interface PolicySettings {
  /** The name of the policy in the audit log, in metrics and in the list of calls. */
  readonly name: string;
  /** The calls to which the policy applies, as a condition in CEL. Default: all. */
  readonly where?: string;
  /** Condition for refusing a call. Exactly one of `deny`, `allow` and `ask` is required. */
  readonly deny?: boolean | string;
  /** Condition for allowing a call. If policies with `allow` apply to a call, at least one of their conditions must hold. */
  readonly allow?: boolean | string;
  /** The people who must agree before an agent receives a message to which the policy applies. */
  readonly ask?: PeopleSettings;
  /** Reason that refused callers and the people who are asked receive. Default: a text saying that a policy refuses the call. */
  readonly reason?: string;
  /** Decisions of the policy that are written to the audit log. Default `refused`. */
  readonly log?: 'refused' | 'all' | 'none';
  /** Whether the policy only counts and logs the calls that it would have refused or asked about. Default `false`. */
  readonly shadow?: boolean;
}

/** People who are asked before an agent receives a message. */
export interface PeopleSettings {
  /** The callers who may agree: their names in the configuration, or the ids of their principals. */
  readonly of: readonly string[];
  /** Time for which the call waits for a decision. Default `1h`. */
  readonly until?: Duration;
  /** The decision about the call if nothing is decided in that time. Default `deny`. */
  readonly otherwise?: 'deny' | 'allow';
  /** Number of people who must agree. Default `1`. */
  readonly quorum?: number;
  /** Whether a caller who is one of these people may agree to their own call. Default `false`. */
  readonly self?: boolean;
  /** The caller who may agree instead of any of them. Default: none. */
  readonly delegate?: string;
}

/** Judges of the messages of callers and the answers of agents, in their order. */
export interface GuardSettings {
  /** The name of the guard in requests to its judge, in the audit log, in metrics, and in messages to callers. */
  readonly name: string;
  /** The calls to which the guard applies, as a condition in CEL. Default: all. */
  readonly where?: string;
  /** Whether the guard judges messages of callers, answers of agents, or both. Default: both. */
  readonly on?: readonly ('request' | 'answer')[];
  /** The URL of the judge, to which each request is sent by POST. Either `url` or `module` is required. */
  readonly url?: string;
  /** Sent to the judge as `Authorization`. Default: none. */
  readonly authentication?: {
    /** The scheme of `Authorization`. */
    readonly scheme: string;
    /** The credentials of `Authorization`. */
    readonly credentials: string;
  };
  /** The path of a module whose default export is the judge function. Either `module` or `url` is required. */
  readonly module?: string;
  /** Time within which the judge must answer. Default `5s`. */
  readonly timeout?: Duration;
  /** Handling of content for which the judge returns no valid verdict in time. Default `block`. */
  readonly onError?: 'block' | 'pass';
  /** The people who are asked about a message if the judge answers `ask`. Default: such messages are blocked. */
  readonly approvers?: readonly string[] | PeopleSettings;
  /** Number of characters before a chunk of an artifact that are sent to the judge with the chunk. Default `0`. */
  readonly window?: number;
  /** Whether the guard only counts and logs the changes that it would have made. Default `false`. */
  readonly shadow?: boolean;
}

/** Services in which people decide about calls and answer questions. */
export interface ApprovalsSettings {
  /** Slack, in which messages with buttons ask people. Default: none. */
  readonly slack?: SlackSettings;
}

/** Slack, in which messages with buttons ask people. Default: none. */
export interface SlackSettings {
  /** The URL of an incoming webhook of a Slack app, which receives every ask and every question. The URL is a secret. The guard of `outbound` applies. */
  readonly webhook: string;
  /** The signing secret of the Slack app, which authenticates its requests to `POST /approvals/slack`. */
  readonly signingSecret: string;
  /** The callers on whose behalf Slack users decide, by the ids of the Slack users. */
  readonly users?: Readonly<Record<string, string>>;
  /** The only workspace from which decisions are accepted. Default: every workspace in which the app is installed. */
  readonly team?: string;
}

/** Announced ends of generations of A2A, by dialect. */
export interface SunsetSettings {
  /** Time from which the generation is deprecated. Default: the day on which the configuration becomes active. */
  readonly since?: string;
  /** Day or time at which the generation ends. */
  readonly on: string;
  /** Treatment of callers of the generation. `warn`: they are warned. `rehearse`: calls that would be refused are also counted. `refuse`: calls are refused from that day on. Default `warn`. */
  readonly mode?: 'warn' | 'rehearse' | 'refuse';
  /** URL of a page about the end of the generation, which responses and refusals contain. Default: none. */
  readonly link?: string;
}

/** Whether the store keeps failed and slow calls for operators, and counts per minute by agent, caller and generation; or for how long, and which calls. With false, the last failed call of each agent is not kept in memory either. Default `true`. */
export interface CallsSettings {
  /** Age after which calls and their counts are deleted, or `forever`. Default `7d`. */
  readonly keep?: Duration;
  /** Duration from which a successful call counts as slow and is kept. Streams are never slow. Default `10s`. */
  readonly slow?: Duration;
  /** Maximum number of failed and slow calls that are kept. Beyond it, the oldest calls of the callers with the most calls are deleted. Default `100000`. */
  readonly most?: Count;
}

/** Targets chosen by callers or agents that the gateway may call. */
export interface OutboundSettings {
  /** Hosts, addresses and blocks of addresses, each with an optional port. */
  readonly allow?: readonly string[];
}

/** How push notifications are delivered. */
export interface PushSettings {
  /** Time for which delivery of a notification is attempted, counted from its event. Default `24h`. */
  readonly maxAge?: Duration;
  /** Time within which a receiver must answer. Default `15s`. */
  readonly timeout?: Duration;
}

/** How the gateway stops. */
export interface ShutdownSettings {
  /** Time for which the gateway still accepts work after it reports that it is not ready, so that load balancers notice. Default `0s`. */
  readonly delay?: Duration;
  /** Time within which running work must then end. Default `10s`. */
  readonly drain?: Duration;
}

/** Contents and level of the log. */
export interface LogSettings {
  /** The least severe level that is logged. Default `info`. */
  readonly level?: 'error' | 'warn' | 'info' | 'debug';
  /** Whether each request is logged, at level `info`. Default `false`. */
  readonly requests?: boolean;
  /** Format of log lines: JSON, or readable text. `auto` selects text if stderr is a terminal. Default `auto`. */
  readonly format?: 'auto' | 'json' | 'text';
}

/** Receiver of traces, metrics and log lines. Default: the environment variables of OpenTelemetry decide. */
export interface TracingSettings {
  /** The http or https URL of an OTLP receiver. */
  readonly endpoint: string;
  /** Headers of each request to the receiver. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether traces are sent. Default `true`. */
  readonly traces?: boolean;
  /** Interval at which the metrics of `/metrics` are sent. Default: never. */
  readonly metrics?: Duration;
  /** Whether log lines are sent, in addition to those on stderr. Default `false`. */
  readonly logs?: boolean;
  /** Fraction of the traces beginning at this gateway that are sent. Default: the value of `OTEL_TRACES_SAMPLER`, otherwise 1. */
  readonly sampleRatio?: number;
  /** Name of the service. Default: `OTEL_SERVICE_NAME`, otherwise `a2a-gateway`. */
  readonly serviceName?: string;
}

/** The settings of agents of every kind. */
export interface CommonAgentSettings {
  /** Hosts at whose root the agent is served. */
  readonly hosts?: readonly string[];
  /** Settings for the agent's cards that differ from those of other agents. */
  readonly cards?: CardListingSettings;
  /** Whether the gateway keeps a knowledge graph for the agent, or the rules for it. Default `false`. */
  readonly knowledge?: boolean | KnowledgeFileSettings;
  /** Settings for the agent's questions that differ from those of all agents. */
  readonly questions?: QuestionsSettings;
  /** Handling of a message to a task on which the agent is working. `queue`: the message waits until the earlier turns have ended. `forward`: the message is sent on at once; only for upstream agents. `refuse`: the caller receives an error. Default: `forward` for upstream agents, `queue` for others. */
  readonly whileRunning?: 'queue' | 'forward' | 'refuse';
}

/** Rights of a caller. */
export interface GrantFileSettings {
  /** Names of the agents that the caller may call. Default: all. */
  readonly agents?: readonly string[];
  /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
  readonly scopes?: readonly string[];
  /** Tenants that the caller may name. A caller with one tenant need not name it. Default: any. */
  readonly tenants?: readonly string[];
}

/** Where and how the gateway listens. */
export interface ListenConfig {
  /** A host name or address. `localhost` means both loopback addresses. */
  readonly host: string;
  /** The port. With 0, the system chooses a free port. */
  readonly port: number;
  /** URL that cards advertise, such as `https://agents.example.com`. Required if `host` is not a loopback address. */
  readonly publicUrl?: string | undefined;
  /** Origins of browser clients, in addition to the gateway's own. `*` stands for all origins. */
  readonly cors: readonly string[];
  /** Whether the port is open while the gateway starts. If so, requests receive 503 and `/healthz` returns 200. Otherwise connections are refused until the gateway is ready, so that load balancers use another replica. */
  readonly whileStarting: boolean;
  /** TLS for the listener. Default: none. */
  readonly tls?: {
    /** The certificate and its chain. */
    readonly cert: string;
    /** The private key of the certificate. */
    readonly key: string;
    /** Certificate authorities whose client certificates are accepted. */
    readonly clientCa?: string | undefined;
  } | undefined;
}

/** Ages after which data is deleted. */
export interface RetentionConfig {
  /** Age after which a task at rest is deleted, or `forever`. In milliseconds. */
  readonly tasks: number;
  /** Age after which changes of knowledge are deleted, so that subscribers can no longer read missed ones, or `forever`. In milliseconds. */
  readonly changes: number;
}

/** An API key. Keys with equal names identify one caller, so that a new key can be added before the old one is removed. */
export interface ApiKeyConfig {
  /** The name of the caller in logs and rules. */
  readonly name: string;
  /** Hash of the key, printed by `a2a-gateway keys new`. */
  readonly hash: string;
  /** Names of the agents that the caller may call. Default: all. */
  readonly agents?: readonly string[] | undefined;
  /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
  readonly scopes?: readonly string[] | undefined;
  /** Tenants that the caller may name. A caller with one tenant need not name it. Default: any. */
  readonly tenants?: readonly string[] | undefined;
}

/** Tokens from an identity provider. */
export interface JwtConfig {
  /** The issuer of the tokens. */
  readonly issuer: string;
  /** The audience of this gateway, or a list of audiences of which a token must contain one. */
  readonly audience: readonly string[];
  /** URL of the provider's public keys. */
  readonly jwksUrl: string;
  /** Accepted signature algorithms. Default: all of these. */
  readonly algorithms: readonly ('RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS384' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA' | 'Ed25519')[];
  /** The type that tokens must have in their header, such as `at+jwt`. */
  readonly typ?: string | undefined;
  /** Accepted difference between clocks. In milliseconds. */
  readonly clockTolerance: number;
  /** The claim that contains a token's scopes. Default: `scope` or `scp`. */
  readonly scopeClaim?: string | undefined;
  /** Scopes that clients should request from the provider, announced in `WWW-Authenticate` and the metadata. Default: none. */
  readonly clientScopes?: readonly string[] | undefined;
  /** Names of the agents that the caller may call. Default: all. */
  readonly agents?: readonly string[] | undefined;
  /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
  readonly scopes?: readonly string[] | undefined;
  /** Tenants that the caller may name. A caller with one tenant need not name it. Default: any. */
  readonly tenants?: readonly string[] | undefined;
}

/** The built-in token endpoint, for the client-credentials grant. */
export interface TokenEndpointConfig {
  /** The clients that may request tokens. */
  readonly clients: readonly TokenClientConfig[];
  /** Time for which a token is valid. In milliseconds. */
  readonly lifetime: number;
}

/** A client of the token endpoint. Entries with equal ids identify one client, so that its secret can be rotated. */
export interface TokenClientConfig {
  /** The client's id. */
  readonly id: string;
  /** Hash of the client's secret, printed by `a2a-gateway keys new`. */
  readonly hash: string;
  /** Names of the agents that the caller may call. Default: all. */
  readonly agents?: readonly string[] | undefined;
  /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
  readonly scopes?: readonly string[] | undefined;
  /** Tenants that the caller may name. A caller with one tenant need not name it. Default: any. */
  readonly tenants?: readonly string[] | undefined;
}

/** A client certificate. All given properties must match. */
export interface CertificateConfig {
  /** The name of the caller in logs and rules. */
  readonly name: string;
  /** Common name of the certificate's subject. */
  readonly commonName?: string | undefined;
  /** An alternative name with its kind: `URI:spiffe://example.com/agent`, `DNS:…`, `email:…` or `IP:…`. */
  readonly altName?: string | undefined;
  /** SHA-256 of the public key of the authority that issued it. Required if `clientCa` contains several authorities, unless `fingerprint` is given. */
  readonly authority?: string | undefined;
  /** SHA-256 of the certificate. */
  readonly fingerprint?: string | undefined;
  /** Names of the agents that the caller may call. Default: all. */
  readonly agents?: readonly string[] | undefined;
  /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
  readonly scopes?: readonly string[] | undefined;
  /** Tenants that the caller may name. A caller with one tenant need not name it. Default: any. */
  readonly tenants?: readonly string[] | undefined;
}

/** Limits for each caller, each request, and the memory of the process. */
export interface LimitsConfig {
  /** Maximum size of a request body. In bytes. */
  readonly body: number;
  /** Maximum number of parts in one message of a request. */
  readonly parts: number;
  /** Maximum number of keys in one object of a request, such as the metadata of a message. */
  readonly keys: number;
  /** Maximum number of values in one request: the items of all its lists and the members of all its objects. */
  readonly values: number;
  /** Maximum size of a request's headers. In bytes. */
  readonly headers: number;
  /** Time within which a blocking call must be answered. In milliseconds. */
  readonly answer: number;
  /** Time within which a request must arrive. In milliseconds. */
  readonly requestTimeout: number;
  /** Time within which a client must read each MiB that is sent to it. In milliseconds. */
  readonly slowReader: number;
  /** Maximum number of requests per minute from one principal, or from one network of anonymous callers. Default: 600; unlimited if only this machine can reach the gateway. */
  readonly requestsPerMinute?: number | undefined;
  /** Maximum number of concurrent streams of one principal. Default: 100; unlimited if only this machine can reach the gateway. */
  readonly streams?: number | undefined;
  /** Maximum number of concurrent streams of one task. Default: 100; unlimited if only this machine can reach the gateway. */
  readonly streamsPerTask?: number | undefined;
  /** Size after which a page of a list ends. In bytes. */
  readonly page: number;
  /** Memory for large requests and responses of all connections together, at most a third of the heap. In bytes. */
  readonly buffered: number;
  /** Maximum size of the JSON that an agent stores for one task, or for one context. In bytes. */
  readonly state: number;
  /** Maximum size of the events of one task as JSON. A task that would become larger fails. In bytes. */
  readonly task: number;
  /** Maximum number of concurrent connections. */
  readonly connections: number;
  /** Limits of a whole tree of calls, even across gateways. */
  readonly root: {
    /** Maximum number of calls of agents in one tree. */
    readonly calls?: number | undefined;
    /** Maximum number of agents in a chain of calls, including the first. */
    readonly depth?: number | undefined;
    /** Maximum duration of the first task and all tasks below it. In milliseconds. */
    readonly time?: number | undefined;
    /** Maximum size of the events of all tasks of the tree together. In bytes. */
    readonly bytes?: number | undefined;
    /** Maximum total cost that the agents of the tree report. */
    readonly cost?: number | undefined;
    /** Maximum number of times that an agent may be called again within its own tree. */
    readonly reentries: number;
    /** The name of this gateway in paths, which must be equal at all its replicas. Default: the host of `listen.publicUrl`. */
    readonly gateway?: string | undefined;
    /** Keys that the gateways of one operator share. The first key signs the paths of calls; signatures of all keys are accepted. Default: no path is sent or accepted. */
    readonly keys?: readonly { reveal(): string }[] | undefined;
  };
  /** Limits of push notifications. */
  readonly webhooks: {
    /** Maximum number of push configurations of one task. */
    readonly perTask: number;
    /** Maximum number of push configurations of one principal that have undelivered events, or whose tasks have not ended. */
    readonly perPrincipal: number;
    /** Maximum number of notifications to one host within a minute. */
    readonly perMinute: number;
  };
}

/** Contents of agent cards, and their signatures. */
export interface CardsConfig {
  /** The key that signs cards. Default: cards are not signed. */
  readonly signing?: SigningConfig | undefined;
  /** The bindings that cards list. Default: all except `GRPC-WEB`. */
  readonly interfaces?: readonly ('JSONRPC' | 'HTTP+JSON' | 'GRPC' | 'GRPC-WEB')[] | undefined;
  /** The bindings that cards list for single dialects, by dialect. */
  readonly dialects?: { readonly [K in 'a2a-1.0' | 'a2a-1.1' | 'a2a-0.3' | 'a2a-0.2' | 'a2a-0.1' | 'agentvault-0.2' | 'a2a-php-0.3']?: {
    /** The bindings that cards list for this dialect. */
    readonly interfaces: readonly ('JSONRPC' | 'HTTP+JSON' | 'GRPC' | 'GRPC-WEB')[];
  } } | undefined;
}

/** The key that signs cards. Default: cards are not signed. */
export interface SigningConfig {
  /** The private key. */
  readonly key: string;
  /** The key's id in signatures. Default: the id in a JWK file, or the key's thumbprint. */
  readonly kid?: string | undefined;
  /** Earlier keys, still published so that cached cards can be verified. */
  readonly previous: readonly SigningKeyConfig[];
}

/** Earlier keys, still published so that cached cards can be verified. */
export interface SigningKeyConfig {
  /** The private key. */
  readonly key: string;
  /** The key's id in signatures. Default: the id in a JWK file, or the key's thumbprint. */
  readonly kid?: string | undefined;
}

/** Settings for the agent's cards that differ from those of other agents. */
export interface CardListing {
  /** The bindings that cards list. Default: all except `GRPC-WEB`. */
  readonly interfaces?: readonly ('JSONRPC' | 'HTTP+JSON' | 'GRPC' | 'GRPC-WEB')[] | undefined;
  /** The bindings that cards list for single dialects, by dialect. */
  readonly dialects?: { readonly [K in 'a2a-1.0' | 'a2a-1.1' | 'a2a-0.3' | 'a2a-0.2' | 'a2a-0.1' | 'agentvault-0.2' | 'a2a-php-0.3']?: {
    /** The bindings that cards list for this dialect. */
    readonly interfaces: readonly ('JSONRPC' | 'HTTP+JSON' | 'GRPC' | 'GRPC-WEB')[];
  } } | undefined;
}

/** Graphs and predicates that only some callers may read or write. */
export interface ProtectionConfig {
  /** Rules by the ids of graphs, or prefixes of ids followed by `*`. An empty id stands for the default graph. */
  readonly graphs?: Readonly<Record<string, AccessConfig>> | undefined;
  /** Rules by the ids of predicates, or prefixes of ids followed by `*`. */
  readonly predicates?: Readonly<Record<string, AccessConfig>> | undefined;
}

/** Rules by the ids of graphs, or prefixes of ids followed by `*`. An empty id stands for the default graph. */
export interface AccessConfig {
  /** Callers that may read. Default: all. */
  readonly read?: readonly string[] | undefined;
  /** Callers that may write and also read. Default: none. */
  readonly write?: readonly string[] | undefined;
}

/** Agents that are registered while the gateway runs. */
export interface RegistrationConfig {
  /** Whether callers with the scope `agents` may register agents while the gateway runs. */
  readonly allow: boolean;
  /** Cards that an operator must approve: `always` means every new card, `changes` all but the first card of an agent, `never` none. */
  readonly approve: 'always' | 'changes' | 'never';
}

/** Conditions in CEL that decide which calls are refused, and for which calls people are asked. */
export interface PolicyConfig {
  /** The name of the policy in the audit log, in metrics and in the list of calls. */
  readonly name: string;
  /** The calls to which the policy applies, as a condition in CEL. Default: all. */
  readonly where?: string | undefined;
  /** Condition for refusing a call. Exactly one of `deny`, `allow` and `ask` is required. */
  readonly deny?: boolean | string | undefined;
  /** Condition for allowing a call. If policies with `allow` apply to a call, at least one of their conditions must hold. */
  readonly allow?: boolean | string | undefined;
  /** The people who must agree before an agent receives a message to which the policy applies. */
  readonly ask?: PeopleConfig | undefined;
  /** Reason that refused callers and the people who are asked receive. Default: a text saying that a policy refuses the call. */
  readonly reason?: string | undefined;
  /** Decisions of the policy that are written to the audit log. */
  readonly log: 'refused' | 'all' | 'none';
  /** Whether the policy only counts and logs the calls that it would have refused or asked about. */
  readonly shadow: boolean;
}

/** People who are asked before an agent receives a message. */
export interface PeopleConfig {
  /** The callers who may agree: their names in the configuration, or the ids of their principals. */
  readonly of: readonly string[];
  /** Time for which the call waits for a decision. In milliseconds. */
  readonly until: number;
  /** The decision about the call if nothing is decided in that time. */
  readonly otherwise: 'deny' | 'allow';
  /** Number of people who must agree. */
  readonly quorum: number;
  /** Whether a caller who is one of these people may agree to their own call. */
  readonly self: boolean;
  /** The caller who may agree instead of any of them. Default: none. */
  readonly delegate?: string | undefined;
}

/** Judges of the messages of callers and the answers of agents, in their order. */
export interface GuardConfig {
  /** The name of the guard in requests to its judge, in the audit log, in metrics, and in messages to callers. */
  readonly name: string;
  /** The calls to which the guard applies, as a condition in CEL. Default: all. */
  readonly where?: string | undefined;
  /** Whether the guard judges messages of callers, answers of agents, or both. Default: both. */
  readonly on: readonly ('request' | 'answer')[];
  /** The URL of the judge, to which each request is sent by POST. Either `url` or `module` is required. */
  readonly url?: string | undefined;
  /** Sent to the judge as `Authorization`. Default: none. */
  readonly authentication?: {
    /** The scheme of `Authorization`. */
    readonly scheme: string;
    /** The credentials of `Authorization`. */
    readonly credentials: { reveal(): string };
  } | undefined;
  /** The path of a module whose default export is the judge function. Either `module` or `url` is required. */
  readonly module?: string | undefined;
  /** Time within which the judge must answer. In milliseconds. */
  readonly timeout: number;
  /** Handling of content for which the judge returns no valid verdict in time. */
  readonly onError: 'block' | 'pass';
  /** The people who are asked about a message if the judge answers `ask`. Default: such messages are blocked. */
  readonly approvers?: PeopleConfig | undefined;
  /** Number of characters before a chunk of an artifact that are sent to the judge with the chunk. */
  readonly window: number;
  /** Whether the guard only counts and logs the changes that it would have made. */
  readonly shadow: boolean;
}

/** Services in which people decide about calls and answer questions. */
export interface ApprovalsConfig {
  /** Slack, in which messages with buttons ask people. Default: none. */
  readonly slack?: SlackConfig | undefined;
}

/** Slack, in which messages with buttons ask people. Default: none. */
export interface SlackConfig {
  /** The URL of an incoming webhook of a Slack app, which receives every ask and every question. The URL is a secret. The guard of `outbound` applies. */
  readonly webhook: { reveal(): string };
  /** The signing secret of the Slack app, which authenticates its requests to `POST /approvals/slack`. */
  readonly signingSecret: { reveal(): string };
  /** The callers on whose behalf Slack users decide, by the ids of the Slack users. */
  readonly users: Readonly<Record<string, string>>;
  /** The only workspace from which decisions are accepted. Default: every workspace in which the app is installed. */
  readonly team?: string | undefined;
}

/** Announced ends of generations of A2A, by dialect. */
export interface SunsetConfig {
  /** Time from which the generation is deprecated. Default: the day on which the configuration becomes active. */
  readonly since?: string | undefined;
  /** Day or time at which the generation ends. */
  readonly on: string;
  /** Treatment of callers of the generation. `warn`: they are warned. `rehearse`: calls that would be refused are also counted. `refuse`: calls are refused from that day on. */
  readonly mode: 'warn' | 'rehearse' | 'refuse';
  /** URL of a page about the end of the generation, which responses and refusals contain. Default: none. */
  readonly link?: string | undefined;
}

/** Targets chosen by callers or agents that the gateway may call. */
export interface OutboundConfig {
  /** Hosts, addresses and blocks of addresses, each with an optional port. */
  readonly allow: readonly string[];
}

/** How push notifications are delivered. */
export interface PushConfig {
  /** Time for which delivery of a notification is attempted, counted from its event. In milliseconds. */
  readonly maxAge: number;
  /** Time within which a receiver must answer. In milliseconds. */
  readonly timeout: number;
}

/** How the gateway stops. */
export interface ShutdownConfig {
  /** Time for which the gateway still accepts work after it reports that it is not ready, so that load balancers notice. In milliseconds. */
  readonly delay: number;
  /** Time within which running work must then end. In milliseconds. */
  readonly drain: number;
}

/** Contents and level of the log. */
export interface LogConfig {
  /** The least severe level that is logged. */
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  /** Whether each request is logged, at level `info`. */
  readonly requests: boolean;
  /** Format of log lines: JSON, or readable text. `auto` selects text if stderr is a terminal. */
  readonly format: 'auto' | 'json' | 'text';
}

/** Whether the gateway serves its own pages: `/healthz`, `/readyz`, `/agents`, `/metrics`, `/openapi.json` and the catalogs, `/.well-known/ai-catalog.json` and `/.well-known/api-catalog`. A list names the pages to serve. With false, they are left to the app that embeds the gateway. A gateway attached to the server of an app serves only `/agents` and the pages that are named. */
export type PagesConfig = boolean | readonly ('/healthz' | '/readyz' | '/agents' | '/metrics' | '/openapi.json' | '/.well-known/ai-catalog.json' | '/.well-known/api-catalog')[];

export interface UpstreamOptions {
  /** The dialect that the agent speaks. `auto` detects it. */
  readonly dialect: 'auto' | 'a2a-1.0' | 'a2a-1.1' | 'a2a-0.3' | 'a2a-0.2' | 'a2a-0.1' | 'agentvault-0.2' | 'a2a-php-0.3';
  /** The binding over which the agent is called. `auto` detects it. */
  readonly transport: 'auto' | 'jsonrpc' | 'rest' | 'grpc' | 'connect';
  /** Time without an event or a response after which a task fails. In milliseconds. */
  readonly silence: number;
  /** Whether the gateway keeps the agent's tasks (`tasks`), or only translates calls (`none`). */
  readonly keep: 'tasks' | 'none';
  /** Whether the gateway uses HTTP/2 if the agent has TLS and prefers HTTP/2. gRPC always uses HTTP/2. */
  readonly http2: boolean;
  /** Whether calls carry `A2A-Gateway-Path` if `limits.root.keys` are set, because the agent is behind another gateway with such a key. */
  readonly path: boolean;
  /** Whether a request is refused if a conversion would drop one of its fields. */
  readonly strict: boolean;
  /** Deviations of the agent's software from its dialect. Default: detected. */
  readonly quirks?: {
    /** Whether the agent uses base64 text instead of the bytes of a file. */
    readonly base64Bytes?: boolean | undefined;
    /** Whether the agent accepts fields that were added after the schema of 0.3.0. */
    readonly laterFields?: boolean | undefined;
  } | undefined;
}

/** Rights of a caller. */
export interface GrantConfig {
  /** Names of the agents that the caller may call. Default: all. */
  readonly agents?: readonly string[] | undefined;
  /** Scopes such as `tasks` or `tasks:read`. Default: all that need not be granted explicitly. */
  readonly scopes?: readonly string[] | undefined;
  /** Tenants that the caller may name. A caller with one tenant need not name it. Default: any. */
  readonly tenants?: readonly string[] | undefined;
}

export interface AlignmentConfig {
  /** A file of SHACL shapes that the knowledge must conform to. */
  readonly shapes?: string | undefined;
  /** A module whose default export is a rule, or a list of rules. */
  readonly rules?: string | undefined;
  /** Graphs and predicates that only some callers may read or write. */
  readonly protected?: ProtectionConfig | undefined;
  /** Minimum certainty of statements, from 0 to 1. Statements with less are rejected; a statement without a certainty counts as certain. Default: none. */
  readonly minCertainty?: number | undefined;
  /** Whether statements must have a provenance, or the keys that it must have. Default false. */
  readonly requireProvenance?: boolean | readonly string[] | undefined;
  /** Whether updates must have a justification. Default false. */
  readonly requireJustification?: boolean | undefined;
}
