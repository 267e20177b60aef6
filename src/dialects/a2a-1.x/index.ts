import type { Api, Version } from '../../gen/api.ts';
import type { OperationName } from '../../gen/services.ts';
import type { VersionName } from '../../gen/versions.ts';
import { bindingsOf, type OwnErrors } from '../kernel/bindings.ts';
import type { Codec } from '../kernel/codec.ts';
import type { Dialect } from '../kernel/dialect.ts';
import { jsonRpcRequestCodec } from '../kernel/methods.ts';
import { v1CardShape } from './card.ts';
import { versionCodecs } from './codecs.ts';
import { demands } from './demands.ts';

/** A version of A2A 1.x. Its row is in `codegen/versions.ts`. */
export interface V1Version extends Pick<Version<VersionName>, 'name' | 'version' | 'preview'> {
  /** Its operations, types and codecs. */
  readonly api: Api;
  /** The union of all versions: the form of all values in memory. */
  readonly canonical: Api;
  /** Whether requests without a version belong to another version of A2A 1.x. */
  readonly needsVersion: boolean;
}

/**
 * Codes of A2A 1.1 errors that have another meaning in the knowledge extension, which is a service of its own, or
 * elsewhere.
 */
const errors: OwnErrors = {
  jsonrpc: { [-32010]: 'taskGenerationMismatch' },
  http: { 409: 'taskGenerationMismatch' },
  grpc: (status, operation) => (status === 'ABORTED' && sends.has(operation) ? 'taskGenerationMismatch' : undefined),
};
const sends: ReadonlySet<OperationName> = new Set(['SendMessage', 'SendStreamingMessage']);

/**
 * Returns a version of A2A 1.x. Conversion is validation; fields that the version lacks are dropped, and fields that it
 * has in another form converted. An rpc that is added to the proto is served over every binding without an edit here.
 */
export function v1Dialect({ name, version, preview, api, canonical, needsVersion }: V1Version): Dialect {
  const codecs = versionCodecs(canonical, api, version);
  const bindings = bindingsOf(api, {
    codecs,
    errors,
    mediaType: 'application/a2a+json',
    demands,
    // The event is named as the official server names it; its clients read the envelope whatever the name.
    errorEvent: 'error',
    // a2a-go 2.4 reads every response to a streaming call as an event stream: it treats plain JSON as an empty stream,
    // not as an error. Its user agent is that of Go's own client.
    refusedAsStreamTo: /^Go-http-client\//,
  });
  const inPackage = (type: string): string => `${api.package}.${type}`;
  const card = v1CardShape(api, version, codecs.alone(inPackage('AgentCard')));
  const requests = new Set(api.operations.flatMap(({ request }) => codecs.losses(request)));
  return {
    name,
    versions: [version],
    ...(preview && { preview: true }),
    ...(needsVersion && { needsVersion }),
    extensionHeaders: ['A2A-Extensions'],
    ...bindings,
    card,
    // Section 4.3.3. The version distinguishes these bodies from those of older agents.
    push: {
      mediaType: 'application/a2a+json',
      body: { textOf: codecs.textOf },
      headers: { 'a2a-version': version },
    },
    types: {
      message: codecs.alone(inPackage('Message')),
      task: codecs.alone(inPackage('Task')),
      event: codecs.alone(inPackage('StreamResponse')),
      card,
      request: jsonRpcRequestCodec(bindings.jsonrpc),
      error: bindings.jsonrpc.error as Codec<unknown, unknown>,
    },
    losses: {
      message: codecs.losses(inPackage('Message')),
      task: codecs.losses(inPackage('Task')),
      event: codecs.losses(inPackage('StreamResponse')),
      card: codecs.losses(inPackage('AgentCard')),
      request: [...requests],
    },
  };
}
