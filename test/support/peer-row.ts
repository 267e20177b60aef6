import type { PeerRow } from '../../scripts/reference/peers.ts';

/**
 * Declares that the file of tests in which it stands runs a peer, or reads frames that were recorded from it.
 * `npm run generate` reads the arguments, which are literals, and writes the page.
 */
export const peerRow = (_: PeerRow): void => undefined;
