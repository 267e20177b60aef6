import { api as canonical } from '../core/model/a2a.ts';
import { api as adminApi } from '../gen/admin-v1/index.ts';
import type { Api } from '../gen/api.ts';
import { api as knowledgeApi } from '../gen/knowledge-v1/index.ts';
import type { Operation } from '../gen/operations.ts';
import type { VersionName } from '../gen/versions.ts';
import { a2a01 } from './a2a-0.1/index.ts';
import { a2a02 } from './a2a-0.2/index.ts';
import { a2a03 } from './a2a-0.3/index.ts';
import { type V1Version, v1Dialect } from './a2a-1.x/index.ts';
import { versions, versionsOf } from './a2a-1.x/versions.ts';
import { a2aPhp03 } from './a2a-php-0.3/index.ts';
import { agentVault } from './agentvault-0.2/index.ts';
import { bindingsOf } from './kernel/bindings.ts';
import { type Dialects, dialectsOf } from './kernel/detect.ts';
import type { Dialect, DialectName } from './kernel/dialect.ts';
import type { WireProtocol } from './kernel/wire.ts';

/** The other dialects: one row and one folder each. */
const legacyDialects: readonly Dialect[] = [a2a03, a2a02, a2a01, agentVault, a2aPhp03];

/** Returns names of JSON-RPC methods such as `knowledge/query`. */
function methodBelow(service: string): (operation: Operation) => string {
  return ({ rpc }) => `${service}/${rpc.charAt(0).toLowerCase()}${rpc.slice(1)}`;
}

/**
 * The knowledge graph extension (version 1.0, draft of April 2025): its methods are called in the same way in every
 * dialect. Over JSON-RPC they are `knowledge/query` and so on (section 4).
 */
const knowledge: WireProtocol = {
  name: 'knowledge-1.0',
  versions: [],
  exact: true,
  extensionHeaders: ['A2A-Extensions'],
  ...bindingsOf(knowledgeApi, {
    methodName: methodBelow('knowledge'),
    mediaType: 'application/json',
    atOnce: true,
    // Section 4.3: a subscription that cannot be established is refused with an explicit status.
    refusalStatuses: new Set([400, 404, 422, 501]),
    demands: {
      KnowledgeGraphPatch: { fields: { op: { enum: ['add', 'remove', 'replace'] } } },
      KGStatement: { fields: { certainty: { anyOf: [{ type: 'number', minimum: 0, maximum: 1 }] } } },
      KGObject: {
        fields: { id: { minLength: 1 }, value: { type: ['string', 'number', 'boolean', 'null'] } },
        exactlyOne: ['id', 'value'],
      },
    },
  }),
};

/** The gateway's own admin service. Over JSON-RPC its methods are `admin/listAgents` and so on. */
const admin: WireProtocol = {
  name: 'admin-1.0',
  versions: [],
  exact: true,
  extensionHeaders: [],
  ofGateway: true,
  ...bindingsOf(adminApi, { methodName: methodBelow('admin'), mediaType: 'application/json', atOnce: true }),
};

/** The extensions that are served with every dialect: one row each. */
export const extensions: readonly WireProtocol[] = [knowledge, admin];

/** The dialects whose specification is not published yet. They are served if they are named. */
export const previews: readonly VersionName[] = versions.flatMap(({ name, preview }) => (preview ? [name] : []));

/** Names of all dialects, in the order of `createDialects().list`. */
export const dialectNames = [...versions.toReversed(), ...legacyDialects].map(({ name }) => name) as [
  DialectName,
  ...DialectName[],
];

/** Restrictions of the dialects that the gateway serves. */
export interface DialectOptions {
  /** The dialects of `previews` to serve. Default: all. */
  readonly preview?: readonly string[];
  /** Generated code of the newest version of A2A 1.x. Default: this package's. */
  readonly api?: Api;
}

const shared = new Map<string, Dialect>();

/** Returns a dialect of A2A 1.x of this package. It holds no state, so that all gateways of a process share it. */
function sharedDialect(version: V1Version): Dialect {
  const key = `${version.name} ${version.needsVersion}`;
  const dialect = shared.get(key) ?? v1Dialect(version);
  shared.set(key, dialect);
  return dialect;
}

/**
 * Returns the dialects of this version of the gateway. The oldest version of A2A 1.x comes before the newer ones, because it
 * serves callers who name no version.
 *
 * ```ts
 * const { list, byVersion } = createDialects({ preview: [] });
 * console.log(list.map(({ name }) => name), byVersion.get('1.0')?.name);
 * ```
 */
export function createDialects({ preview = previews, api = canonical }: DialectOptions = {}): Dialects {
  const rows = api === canonical ? versions : versionsOf(api);
  const served = rows.filter((row) => !row.preview || preview.includes(row.name)).toReversed();
  const v1 = served.map((row, at) => {
    const version = { ...row, canonical: api, needsVersion: at > 0 };
    return api === canonical ? sharedDialect(version) : v1Dialect(version);
  });
  return dialectsOf([...v1, ...legacyDialects], extensions);
}

/**
 * Returns the descriptors of all services, a serialised google.protobuf.FileDescriptorSet: of A2A 1.x those of the
 * newest version that is served, since all versions have the same names. Loaded with the first request for them.
 */
export async function loadImage({ byName }: Pick<Dialects, 'byName'>): Promise<Uint8Array> {
  const newest = versions.find(({ name }) => byName.has(name)) ?? (versions[0] as (typeof versions)[number]);
  const [{ image: shared }, own] = await Promise.all([import('../gen/image.ts'), newest.image()]);
  // Two serialised messages, concatenated, are one with the items of both lists.
  return Buffer.concat([Buffer.from(shared, 'base64'), Buffer.from(own, 'base64')]);
}
