import type { AgentCard } from '../../core/model/a2a.ts';
import type { Api } from '../../gen/api.ts';
import { bindingsOf, jsonRpcError, stripped } from '../kernel/bindings.ts';
import type { Codec } from '../kernel/codec.ts';
import type { CardShape, Dialect, DialectName } from '../kernel/dialect.ts';
import { jsonRpcRequestCodec } from '../kernel/methods.ts';
import { v1CardSigning } from './card-signing.ts';

/** A version of A2A 1.x. */
export interface V1Version {
  readonly name: DialectName;
  /** Values of `A2A-Version`, as major.minor; the first is the one that cards and webhooks are given. */
  readonly versions: readonly [string, ...string[]];
  /** The operations, types and codecs, generated from the proto. */
  readonly api: Api;
  readonly card: Pick<CardShape, 'paths'>;
}

/**
 * A2A 1.x: the gateway's own form, so that a conversion is a validation. An rpc that is added to the proto is served over
 * every binding without an edit here.
 */
export function v1Dialect({ name, versions, api, card: { paths } }: V1Version): Dialect {
  const [version] = versions;
  const bindings = bindingsOf(api, {
    mediaType: 'application/a2a+json',
    // The event is named as the official server names it; its clients read the envelope whatever the name.
    errorEvent: 'error',
    // a2a-go 2.4 reads every answer to a streaming call as an event stream: it takes plain JSON for an empty stream, not
    // for an error. Its user agent is that of Go's own client.
    refusedAsStreamTo: /^Go-http-client\//,
  });
  const card = stripped<AgentCard>(api, `${api.package}.AgentCard`);
  return {
    name,
    versions,
    extensionHeaders: ['A2A-Extensions'],
    ...bindings,
    card: {
      ...card,
      paths,
      protocolVersion: version,
      signing: v1CardSigning(api),
    },
    // Section 4.3.3. The version lets a receiver tell these bodies from those of older agents.
    push: { mediaType: 'application/a2a+json', body: 'event', headers: { 'a2a-version': version } },
    types: {
      message: stripped(api, `${api.package}.Message`),
      task: stripped(api, `${api.package}.Task`),
      event: stripped(api, `${api.package}.StreamResponse`),
      card,
      request: jsonRpcRequestCodec(bindings.jsonrpc),
      error: jsonRpcError as Codec<unknown, unknown>,
    },
    losses: {},
  };
}
