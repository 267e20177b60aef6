import type { ParsedFile } from './syntax.ts';

/** An extension, and how to notice that a file names it. */
interface Feature {
  /** Folders that are the extension's own. */
  readonly folders: readonly string[];
  /** Identifiers and section keys that only the extension needs. */
  readonly names: RegExp;
  /** Files that use such a name in another sense. */
  readonly except?: readonly string[];
}

/** Every extension, and features that are to become one. */
export const features: Readonly<Record<string, Feature>> = {
  trees: {
    folders: ['src/extensions/trees/'],
    names:
      /^(?:trees|treePath|Trees|\w*Trees|Tree[A-Z]\w*|[Ll]ent(?:[A-Z]\w*)?|lease(?:Of|Path|Page|Share)|findTree|stopTree|rootName|RootLimits|stepsTo)$/,
  },
  stops: {
    folders: ['src/extensions/stops/'],
    names:
      /^(?:stops|\w*Stops|Stop|Stop(?:Kind|Targets|Store|Handlers\w*)|stop(?:Error|Text|Elsewhere|Handlers)|stopped(?:By|At|Tasks)|endOwnStopped|endStopped\w*|refuseStopped|requireNotStopped)$/,
  },
  erasure: {
    folders: ['src/extensions/erasure/'],
    names: /^(?:erasures?|\w*Erasures?|Erasure[A-Z]\w*|erase(?:Handlers|Caller)\w*|openErasures)$/,
  },
  recordings: {
    folders: ['src/extensions/recordings/'],
    names: /^(?:recorder|Recorder|\w+Recorder|recordings|Recording\w*|recorded|record(?:Handlers|Answers|able))$/,
    except: [
      'src/extensions/knowledge/alignment/alignment.ts',
      'src/extensions/knowledge/open.ts',
      'src/extensions/knowledge/ports.ts',
      'src/gateway/tracing/calls.ts',
    ],
  },
  policies: {
    folders: ['src/extensions/policies/'],
    names: /^(?:policies|Polic(?:y|ies)|Polic(?:y|ies)[A-Z]\w*|\w+Policies|policyTest|checkPolicyForms)$/,
    except: ['src/net/guard.ts', 'src/net/guard/policy.ts'],
  },
  guards: {
    folders: ['src/extensions/guards/'],
    names:
      /^(?:guards|Guards|Guard(?:Config|Judge|Phase|Question|Verdict|Settings)|checkGuardForms|addGuard|guardTest)$/,
    // Functions that check values of generated types.
    except: [
      ...['src/dialects/a2a-0.1/codecs.ts', 'src/dialects/a2a-0.3/read.ts', 'src/dialects/a2a-1.x/narrowed.ts'],
      ...['src/dialects/a2a-php-0.3/read.ts', 'src/dialects/agentvault-0.2/codecs.ts'],
      ...['src/dialects/kernel/card-override.ts', 'src/dialects/kernel/reader.ts'],
      ...['src/wire/read-shape.ts', 'src/wire/validate.ts'],
    ],
  },
  registration: {
    folders: ['src/extensions/registration/'],
    names:
      /^(?:registrations?|registered|registryOf|openRegistry|Registry|\w*Registration\w*|[Rr]egister(?:Agent|Catalog|edCard|edAgent)\w*|addedAgents|AddedAgents\w*)$/,
    except: ['src/core/cluster/log-sync.ts', 'src/gateway/tracing/otel.ts'],
  },
  generations: {
    folders: ['src/extensions/generations/'],
    names: /^(?:generations|Generations\w*|\w+Generations|generationHandlers|GenerationUses?|[sS]unset\w*|\w+Sunset)$/,
    // Numbers of the events in a task's log (A2A 1.1).
    except: [
      'src/stores/cluster/shared-store-peers.ts',
      'src/stores/migrations/0013-generations.ts',
      'src/stores/migrations/index.ts',
    ],
  },
  slack: {
    folders: ['src/extensions/slack/'],
    names: /^(?:slack|Slack[A-Z]\w*|slack[A-Z]\w*|approvals|Approvals[A-Z]\w*|checkApprovals)$/,
  },
  copies: {
    folders: ['src/agents/upstream/copies.ts'],
    names:
      /^(?:copies|copiesOf|UpstreamCopy|splitCopy|atCopy|noCopy|createCopies|translateAtCopies|Copy|CopyConfig|CopiesOptions|CopyTarget|copyOfTask|requireCop\w+)$/,
    except: ['src/stores/sqlite/writer.ts', 'src/gateway/compose/local-calls.ts'],
  },
  questions: {
    folders: ['src/extensions/questions/'],
    names:
      /^(?:questions|Questions|Task(?:Questions)|ExtensionQuestions|\w*Questions(?:[A-Z]\w*)?|(?:Linked|Open|Shown)Question|question(?:Links|Handlers|Webhook|Page)|Question(?:Deadlines|Webhook\w*|Links?\w*|Listener)|GivenAnswer|AskingTask)$/,
    // Questions of tool servers (elicitation), and questions put to a graph.
    except: [
      'src/extensions/knowledge/alignment/shapes/view.ts',
      'src/extensions/mcp/client/follow.ts',
      'src/extensions/mcp/client/kept-call.ts',
      'src/extensions/mcp/client/questions.ts',
      'src/extensions/mcp/client/running-call.ts',
    ],
  },
  knowledge: { folders: ['src/extensions/knowledge/'], names: /(?<![aA]c)[kK]nowledge/ },
  mcp: { folders: ['src/extensions/mcp/'], names: /^(?:mcp|mcp[A-Z]\w*|\w*Mcp(?:[A-Z]\w*)?)$/ },
};

/**
 * Reservations of bytes in `limits.buffered`, and the budget of them. A file that only passes a call on, for which others count, does
 * not name them.
 */
export const reservations: Feature = {
  folders: [],
  names: /^(?:reserve(?:Request|Parsed)?|\w*[rR]eservation|ReadBudget|MemoryBudget|.*\/memory-budget\.ts)$/,
  // Tokens of a caller's request rate that replicas share, and space in a buffer.
  except: [
    'src/core/limits/request-limit.ts',
    'src/core/ports/peers.ts',
    'src/core/telemetry/observed-store.ts',
    'src/stores/cluster/shared-limits.ts',
    'src/stores/cluster/shared-store-peers.ts',
    'src/wire/protobuf-bytes.ts',
  ],
};

/** The files outside of a feature's folders that name it: by an identifier, a section key, or an import of its files. */
export function filesThatName({ folders, names, except = [] }: Feature, files: readonly ParsedFile[]): string[] {
  const isOwn = (path: string): boolean => folders.some((folder) => path.startsWith(folder));
  const reaches = folders.map((folder) => folder.replace(/^src/, ''));
  const namesIt = (name: string): boolean =>
    names.test(name) || (name.startsWith('.') && reaches.some((folder) => name.includes(folder)));
  return files
    .filter(({ path, names: used }) => !isOwn(path) && !except.includes(path) && used.values().some(namesIt))
    .map(({ path }) => path);
}
