/** The environment variable of a process that is a worker: its number, from 0. */
export const workerVariable = 'A2A_GATEWAY_WORKER';
