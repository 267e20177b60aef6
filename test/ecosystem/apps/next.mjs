/** Next.js: a route handler passes requests to the gateway, in a build as it is deployed. */
import { callOver, servedByNext } from './support.mjs';

await servedByNext('next', (origin) => callOver(origin, 'jsonrpc', 'rest'));
