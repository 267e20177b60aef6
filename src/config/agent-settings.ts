import type { DialectName } from '../dialects/kernel/dialect.ts';
import type { CardListingSettings, Duration, OutboundAuthFileSettings, Size } from './setting-types.ts';

/** The settings of agents: `agents` in a configuration file. */

/** The settings of agents of every kind. */
export interface CommonAgentSettings {
  /** Hosts at whose root the agent answers. */
  readonly hosts?: readonly string[];
  /** What its cards list, where that differs from all agents. */
  readonly cards?: CardListingSettings;
  /** Whether the gateway keeps a knowledge graph for the agent, or the rules for it. Default false. */
  readonly knowledge?: boolean | KnowledgeFileSettings;
}

/** An agent in a JavaScript or TypeScript module. */
export interface ModuleAgentSettings extends CommonAgentSettings {
  /** An agent in a JavaScript or TypeScript module. */
  readonly kind: 'module';
  /** Path of the module. */
  readonly path: string;
  /** Settings for the module, which it checks itself. */
  readonly config?: unknown;
  /** Texts for the module, such as keys of other services. */
  readonly env?: Readonly<Record<string, string>>;
}

/** An A2A agent at a URL. */
export interface UpstreamAgentSettings extends CommonAgentSettings {
  /** An A2A agent at a URL. */
  readonly kind: 'upstream';
  /** The agent's base URL or the URL of its card. */
  readonly url: string;
  /** The dialect that the agent speaks. Default `auto`: detected. */
  readonly dialect?: 'auto' | DialectName;
  /** The binding to call the agent over. Default `auto`: detected. */
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
  readonly quirks?: {
    /** Whether it puts base64 text where the bytes of a file belong. */
    readonly base64Bytes?: boolean;
    /** Whether it reads fields that came after the schema of 0.3.0. */
    readonly laterFields?: boolean;
  };
  /** The gateway's credentials at the agent. Default: none. */
  readonly auth?: OutboundAuthFileSettings;
  /** Whose signatures the agent's card must have. Default: it needs none. */
  readonly trust?: {
    /** The keys that are believed: the https URL of a JWK set, or the path of a file. */
    readonly jwks: string;
    /** Whether a card without signatures is refused. Default true. */
    readonly required?: boolean;
  };
}

/** An agent that calls tools of MCP servers. */
export interface ToolsAgentSettings extends CommonAgentSettings {
  /** An agent that calls tools of MCP servers. */
  readonly kind: 'mcp';
  /** Servers by the ids that callers name them by. Default: those of `MCP_SERVER_MAP`. */
  readonly servers?: Readonly<Record<string, ToolServerFileSettings>>;
}

/** A server of tools: at a URL, or a program. */
export interface ToolServerFileSettings {
  /** The server's URL. Either `url` or `command` is required. */
  readonly url?: string;
  /** How the server at a URL speaks: MCP, or AgentVault's pattern with a method for each tool. Default `mcp`. */
  readonly style?: 'mcp' | 'method-per-tool';
  /** The gateway's credentials at the server. Default: none. */
  readonly auth?: OutboundAuthFileSettings;
  /** The tools of a server with `method-per-tool`, which cannot list them. */
  readonly tools?: readonly (
    | string
    | {
        /** The tool's name. */
        readonly name: string;
        /** What the tool does. */
        readonly description?: string;
        /** The JSON Schema of the tool's arguments. */
        readonly inputSchema?: Readonly<Record<string, unknown>>;
      }
  )[];
  /** The program of a server that is run here, and spoken to over its standard input and output. */
  readonly command?: string;
  /** Arguments of the program. */
  readonly args?: readonly (string | number)[];
  /** Environment variables of the program, besides the few that every program needs. */
  readonly env?: Readonly<Record<string, string | number | boolean>>;
  /** The folder that the program runs in. */
  readonly cwd?: string;
  /** How long one call of a tool may take. Default `60s`. */
  readonly timeout?: Duration;
  /** Size of one result. Default `10MiB`. */
  readonly maxResult?: Size;
  /** Names of the tools that may be called, where `*` stands for any characters. Default: all. */
  readonly allow?: readonly string[];
  /** Names of tools that may not be called, where `*` stands for any characters. */
  readonly deny?: readonly string[];
}

/** The agent that shows every feature of A2A. */
export interface ReferenceAgentSettings extends CommonAgentSettings {
  /** The agent that shows every feature of A2A. */
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
  Record<
    string,
    {
      /** Callers that may read. Default: all. */
      readonly read?: readonly string[];
      /** Callers that may write, and may read. Default: none. */
      readonly write?: readonly string[];
    }
  >
>;

export interface KnowledgeFileSettings {
  /** A file of SHACL shapes that the knowledge must conform to. */
  readonly shapes?: string;
  /** A module that exports rules by default. */
  readonly rules?: string;
  /** What only some callers may read or write. */
  readonly protected?: {
    /** Rules by the ids of graphs, or prefixes of ids followed by `*`. An empty id means the default graph. */
    readonly graphs?: KnowledgeAccess;
    /** Rules by the ids of predicates, or prefixes of ids followed by `*`. */
    readonly predicates?: KnowledgeAccess;
  };
  /** From 0 to 1: statements with less certainty are rejected. A statement without a certainty counts as certain. Default: none. */
  readonly minCertainty?: number;
  /** Whether statements must have a provenance, or the keys that it must have. Default false. */
  readonly requireProvenance?: boolean | readonly string[];
  /** Whether updates must have a justification. Default false. */
  readonly requireJustification?: boolean;
  /** A graph database that keeps the knowledge. Default: the gateway's own store. */
  readonly sparql?: {
    /** The URL for queries. */
    readonly query: string;
    /** The URL for updates. */
    readonly update: string;
    /** The gateway's credentials at the database. Default: none. */
    readonly auth?: OutboundAuthFileSettings;
    /** URI of the graph that serves as the default graph of callers without a tenant. Default: the database's own. */
    readonly defaultGraph?: string;
    /** How long a query or an update may take. Default `30s`. */
    readonly timeout?: Duration;
  };
  /** Files that a new graph is filled from: Turtle, N-Triples, N-Quads. */
  readonly import?: readonly string[];
}
