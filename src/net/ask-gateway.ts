import type { AskGateway } from '../core/model/agent.ts';
import { pathHeader } from '../core/model/call.ts';
import type { HttpClient } from './http-client.ts';

/** Bytes of an answer. */
const maxAnswer = 2 ** 21;

/** The gateway at an address, whose pages for gateways are at the root of its host. */
export const gatewayAt =
  (http: HttpClient, address: () => URL, signal: AbortSignal): AskGateway =>
  async (page, signed, timeout = 10_000) => {
    const url = new URL(page, address());
    const answer = await http.request({ method: 'POST', url, headers: { [pathHeader]: signed }, signal, timeout });
    const body = await answer.read(maxAnswer);
    return answer.status === 200 ? JSON.parse(body.toString()) : undefined;
  };
