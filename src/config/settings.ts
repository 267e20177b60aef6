import type { AgentFileSettings } from './agent-settings.ts';
import type { CardListingSettings, Count, Duration, Size } from './setting-types.ts';

/**
 * The settings of a configuration file, as types for programs. Each has the same meaning and the same default as in the
 * file; the schemas of the sections check them. Written out, so that editors show them, and so that the declarations of the
 * package need no other package. A test compares them with the schemas.
 */

/** A gateway's settings, all of them optional. */
export interface FileSettings {
  /** Where and how the gateway listens. */
  readonly listen?: ListenSettings;
  /** Where tasks are kept: in memory, in a file, or in PostgreSQL. Default `sqlite:./data/gateway.db`. */
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
   * true. A list names those that it serves. With false they are left to the app that the gateway is part of. Attached to the
   * server of an app, the gateway serves of them only those that are named, and `/agents`.
   */
  readonly pages?: boolean | readonly ('/healthz' | '/readyz' | '/agents' | '/metrics' | '/openapi.json')[];
  /**
   * Whether the gateway serves the console at `/console/`, or settings of the console. Default: as `pages`.
   */
  readonly console?:
    | boolean
    | {
        /** URL of a trace's page, with `{traceId}` in the id's place. Default: traces are not linked. */
        readonly traces?: string;
      };
  /** Where traces are sent. Default: as the environment variables of OpenTelemetry say. */
  readonly tracing?: {
    /** The http or https URL of an OTLP receiver. */
    readonly endpoint: string;
    /** Headers of each request to the receiver. */
    readonly headers?: Readonly<Record<string, string>>;
    /** The part of the traces that begin here which is sent. Default: all, or what `OTEL_TRACES_SAMPLER` says. */
    readonly sampleRatio?: number;
    /** The name of the service in traces. Default: `OTEL_SERVICE_NAME`, else `a2a-gateway`. */
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
  /** TLS for the listener. Default: none. */
  readonly tls?: {
    /** The certificate and its chain. */
    readonly cert: string;
    /** The private key of the certificate. */
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
  /** Callers with an API key. */
  readonly apiKeys?: readonly (GrantFileSettings & {
    /** The name of the caller in logs and rules. */
    readonly name: string;
    /** Hash of the key, as `a2a-gateway keys new` prints it. */
    readonly hash: string;
  })[];
  /** The header for API keys. Default `X-Api-Key`. */
  readonly apiKeyHeader?: string;
  /** Tokens of an identity provider. */
  readonly jwt?: GrantFileSettings & {
    /** The issuer that tokens must name. */
    readonly issuer: string;
    /** The audience of this gateway; a token must name one of a list. */
    readonly audience: string | readonly string[];
    /** URL of the provider's public keys. */
    readonly jwksUrl: string;
    /** Algorithms of signatures that are accepted. Default: all of these. */
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
    /** How far clocks may differ. Default `5s`. */
    readonly clockTolerance?: Duration;
    /** The claim that holds a token's scopes. Default `scope` or `scp`. */
    readonly scopeClaim?: string;
  };
  /** The built-in token endpoint, for client credentials. */
  readonly tokenEndpoint?: {
    /** The clients that get tokens. */
    readonly clients: readonly (GrantFileSettings & {
      /** The client's id. */
      readonly id: string;
      /** Hash of the client's secret, as `a2a-gateway keys new` prints it. */
      readonly hash: string;
    })[];
    /** How long a token is valid. Default `1h`. */
    readonly lifetime?: Duration;
  };
  /** Client certificates of the authorities in `listen.tls.clientCa`. */
  readonly mtls?: {
    /** Clients by their certificates. Each needs `commonName`, `altName` or `fingerprint`. */
    readonly clients?: readonly (GrantFileSettings & {
      /** The name of the caller in logs and rules. */
      readonly name: string;
      /** Common name of the certificate's subject. */
      readonly commonName?: string;
      /** An alternative name with its kind: `URI:spiffe://example.com/agent`, `DNS:…`, `email:…` or `IP:…`. */
      readonly altName?: string;
      /** SHA-256 of the public key of its authority: required where `clientCa` has several, unless `fingerprint` is given. */
      readonly authority?: string;
      /** SHA-256 of the certificate. */
      readonly fingerprint?: string;
    })[];
    /** Whether certificates that match no client are accepted. Default: where no `clients` are configured. */
    readonly others?: 'accept' | 'refuse';
    /** Whether connections without a certificate are refused. Default: where callers have no other way to authenticate. */
    readonly required?: boolean;
  };
  /** Whether cards can be read without credentials. Default: where callers can authenticate, or have to. */
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
  /** Size of a request body. Default `10MiB`. */
  readonly body?: Size;
  /** Size of a request's headers. Default `16KiB`. */
  readonly headers?: Size;
  /** How long one answer may take. Default `300s`. */
  readonly answer?: Duration;
  /** How long a request may take to arrive. Default `30s`. */
  readonly requestTimeout?: Duration;
  /** How long a client may take to read what was sent. Default `30s`. */
  readonly slowReader?: Duration;
  /** Requests of one principal, or of one network of anonymous callers. Default: 600; unlimited where only this machine can reach the gateway. */
  readonly requestsPerMinute?: Count;
  /** Streams of one principal at the same time. Default: 100; unlimited where only this machine can reach the gateway. */
  readonly streams?: Count;
  /** Streams of one task at the same time. Default: 100; unlimited where only this machine can reach the gateway. */
  readonly streamsPerTask?: Count;
  /** Size after which a page of a list ends. Default `8MiB`. */
  readonly page?: Size;
  /** Memory for large requests and answers of all connections together. Default `256MiB`. */
  readonly buffered?: Size;
  /** Size of the JSON that an agent keeps for one task, or for one context. Default `1MiB`. */
  readonly state?: Size;
  /** Size of the events of one task as JSON. A task that would become larger fails. Default `64MiB`. */
  readonly task?: Size;
  /** Connections at the same time. Default `unlimited`. */
  readonly connections?: Count;
  /** Bounds of push notifications. */
  readonly webhooks?: {
    /** Push configurations of one task. Default 20. */
    readonly perTask?: Count;
    /** Push configurations of one principal. Default 1000. */
    readonly perPrincipal?: Count;
    /** Notifications to one host within a minute. Default 6000. */
    readonly perMinute?: Count;
  };
}

/** A private key that signs cards. */
export interface SigningKeySettings {
  /** The private key. */
  readonly key: string;
  /** The key's id in signatures. Default: the id in a JWK file, or the key's thumbprint. */
  readonly kid?: string;
}

export interface CardsSettings extends CardListingSettings {
  /** The key that signs cards. Default: cards are not signed. */
  readonly signing?: SigningKeySettings & {
    /** Keys that signed before, so that cards in caches can still be verified. */
    readonly previous?: readonly SigningKeySettings[];
  };
}
