import { type AgentCard, api as v1Api } from '../../../core/model/a2a.ts';
import { sameJson } from '../../../core/model/json.ts';
import { api } from '../../../gen/a2a-v0_3/index.ts';
import type { AgentCard as WireCard } from '../../../gen/a2a-v0_3/types.ts';
import { parseAs } from '../../../wire/validate.ts';
import type { Codec } from '../../kernel/codec.ts';
import { digestOf, card as jsonCard, preserving } from '../card.ts';
import { encodeInterfaces, plainInterfaces } from '../card-interfaces.ts';
import { type Preserved, preservedIn } from '../card-mapping.ts';
import { codecs } from './codecs.ts';

/** The card in the protobuf shape. Facts without a place in v1 are preserved as for the card over JSON-RPC. */
export const protobufCard: Codec<unknown, AgentCard> = {
  decode(document, cx) {
    const wire = parseAs<WireCard>(api, 'a2a.v1.AgentCard', document);
    const card = codecs.card.decode(wire, cx);
    const preserved = preservedOf(wire, card);
    // The proto has no required fields, unlike v1.
    const checked = parseAs<AgentCard>(v1Api, 'lf.a2a.v1.AgentCard', card);
    return Object.keys(preserved).length > 0 ? preserving(checked, preserved) : checked;
  },
  encode(card, cx) {
    const wire = codecs.card.encode(card, cx, '');
    const { signed } = preservedIn(card.capabilities);
    if (!signed) return wire;
    const isIts = digestOf(parseAs<WireCard>(api, 'a2a.v1.AgentCard', wire)) === signed.digest;
    // Clients over the protobuf bindings verify the card in the form that they would have read over JSON-RPC.
    if (!isIts && digestOf(jsonCard.encode(card, { losses: new Set() }) as object) !== signed.digest) return wire;
    return { ...wire, signatures: signed.signatures as NonNullable<WireCard['signatures']> };
  },
};

/** Returns the facts that the card's tables do not bring back. */
function preservedOf(wire: WireCard, { supportedInterfaces }: AgentCard): Preserved {
  const { protocolVersion = '', signatures } = wire;
  const interfaces = plainInterfaces(wire);
  const comesBack = sameJson(encodeInterfaces(supportedInterfaces, '0.3'), interfaces);
  return {
    ...(protocolVersion !== '0.3.0' && { protocolVersion }),
    ...(!comesBack && { interfaces }),
    ...(signatures && { signed: { digest: digestOf(wire), signatures } }),
  };
}
