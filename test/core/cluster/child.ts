/** A gateway that is going to be killed, on the database whose URL is its argument. Prints its own URL. */
import { startReplica } from '../../support/replicas.ts';
import { callers, counter, keepers } from './agents.ts';

const [database = ''] = process.argv.slice(2);
const agents = { counter: counter(), ...keepers(), ...callers() };
const { url } = await startReplica(database, 'child', { agents, config: 'limits: { root: { reentries: 9 } }\n' });
process.stdout.write(`${url}\n`);
