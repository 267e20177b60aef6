import type { AgentCard } from '../../core/model/a2a.ts';
import type { Api } from '../../gen/api.ts';
import { bindingsOf, jsonRpcError, stripped } from '../kernel/bindings.ts';
import type { Codec } from '../kernel/codec.ts';
import type { Dialect } from '../kernel/dialect.ts';
import { jsonRpcRequestCodec } from '../kernel/request.ts';
import { v1CardSigning } from './card-signing.ts';

/**
 * A2A 1.0: the gateway's own form, so that a conversion is a validation. An rpc that is added to the proto is served by
 * every face without an edit here.
 */
export function v1Dialect(api: Api): Dialect {
  // The event is named as the official server names it; its clients read the envelope whatever the name.
  const faces = bindingsOf(api, {
    mediaType: 'application/a2a+json',
    errorEvent: 'error',
    // a2a-go 2.4 reads every answer to a streaming call as an event stream: plain JSON is a stream without
    // events to it, and no error. It goes by the name of Go's own client.
    refusedAsStreamTo: /^Go-http-client\//,
  });
  const card = stripped<AgentCard>(api, `${api.package}.AgentCard`);
  return {
    name: 'a2a-1.0',
    versions: ['1.0'],
    extensionHeaders: ['A2A-Extensions'],
    ...faces,
    card: {
      ...card,
      paths: ['/.well-known/agent-card.json'],
      protocolVersion: '1.0',
      signing: v1CardSigning(api),
    },
    // Section 4.3.3. The version lets a receiver tell these bodies from those of older agents.
    push: { mediaType: 'application/a2a+json', body: 'event', headers: { 'a2a-version': '1.0' } },
    types: {
      message: stripped(api, `${api.package}.Message`),
      task: stripped(api, `${api.package}.Task`),
      event: stripped(api, `${api.package}.StreamResponse`),
      card,
      request: jsonRpcRequestCodec(faces.jsonrpc),
      error: jsonRpcError as Codec<unknown, unknown>,
    },
    losses: {},
  };
}
