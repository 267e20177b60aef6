// In a project of your own: import … from 'a2a-gateway';
import { type AgentSettings, artifact, data, defineAgent, status } from '../src/index.ts';

/** `config` of this agent in the configuration. */
export const configSchema = {
  type: 'object',
  properties: { service: { type: 'string', format: 'uri', description: 'Base URL of the order service' } },
  required: ['service'],
  additionalProperties: false,
};

interface Config {
  readonly service: string;
}

/** The answer of the order service to `GET /orders/{number}`. */
interface Order {
  readonly state: string;
  readonly carrier?: string;
}

/**
 * Answers questions about orders by asking an existing REST service. `fetch` retries while the service is unavailable for a moment,
 * and passes the trace on; the service's key comes from `env`.
 */
export default ({ config, env }: AgentSettings<Config>) =>
  defineAgent({
    name: 'Orders',
    description: 'Says where an order is.',
    skills: [
      {
        id: 'track-order',
        name: 'Track an order',
        description: 'Send a text with the number of an order.',
        tags: ['orders'],
        examples: ['Where is order 1042?'],
      },
    ],
    async execute({ text, fetch, log }) {
      const number = /\d+/.exec(text)?.[0];
      if (number === undefined) return 'Which order? Send its number.';
      const url = new URL(`orders/${number}`, config.service);
      const response = await fetch(url, { headers: { authorization: `Bearer ${env.ORDERS_KEY}` } });
      if (response.status === 404) return `There is no order ${number}.`;
      if (!response.ok) {
        log.error('the order service failed', { order: number, status: response.status });
        return status('TASK_STATE_FAILED', 'The order service does not answer. Try again later.');
      }
      const order = (await response.json()) as Order;
      const sentence = `Order ${number} is ${order.state}${order.carrier ? ` with ${order.carrier}` : ''}.`;
      return artifact({ name: 'order', content: [sentence, data(order)] });
    },
  });
