import { startBridge } from '../../support/upstreams.ts';

/**
 * A gateway before upstream agents in a process of its own, which a test may kill. Arguments: the store's URL, and the
 * agents' settings in JSON. Tells its origin by IPC.
 */

const [, , store = 'memory:', settings = '{}'] = process.argv;
const { origin } = await startBridge(JSON.parse(settings), store);
process.send?.({ origin });
// Without its parent it would live for ever.
process.once('disconnect', () => process.exit());
