import { openGateway } from '../support/gateway.ts';
import { sdkAgents } from '../support/sdk-agents.ts';

/**
 * The agents behind the gateways, in a process that survives: the reference agent, whose card says that it is at
 * TORTURE_FAR_URL, and one of the official SDK's. Tells by IPC
 * where they are.
 */

/** Milliseconds between two times that the SDK's agent lets go on what waits. */
const releaseEvery = 700;

const text = `
listen: { host: 127.0.0.1, port: 0, publicUrl: ${JSON.stringify(process.env.TORTURE_FAR_URL)} }
auth: { anonymous: true }
store: "memory:"
agents: { demo: { kind: reference } }
`;
const { port } = await openGateway(text);
const start = sdkAgents['sdk10-jsonrpc'];
if (!start) throw new Error('the SDK agent is not there');
const sdk = await start();
setInterval(() => sdk.release(), releaseEvery);
process.send?.({ farPort: port, sdk: sdk.url });
// Without its parent it would live for ever.
process.once('disconnect', () => process.exit());
