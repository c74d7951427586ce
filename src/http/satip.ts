/** The device description of the SAT>IP server, whose URL its SSDP announcement contains. */
import type { FastifyInstance } from 'fastify';
import { fail } from '../base/errors.ts';
import { plainAddress } from '../base/network-addresses.ts';
import { sendError } from './middleware/failures.ts';
import { pathOf } from './middleware/query.ts';
import type { ReceiverParts } from './parts/parts.ts';

export function registerSatip(app: FastifyInstance, { satip }: Pick<ReceiverParts, 'satip'>): void {
  app.get('/satip/desc.xml', async (request, reply) => {
    if (satip === undefined || satip.port === 0) return sendError(request, reply, fail('not-found', pathOf(request)));
    const address = plainAddress(request.socket.remoteAddress);
    if (!satip.isAllowed(address)) return sendError(request, reply, fail('not-served', address));
    // Only this header tells clients of an RTSP port other than 554. Set on the raw response, because VDR expects these
    // capitals and Fastify would convert the name to lower case.
    reply.raw.setHeader('X-SATIP-RTSP-Port', satip.port);
    return reply.type('text/xml; charset=utf-8').send(satip.description(plainAddress(request.socket.localAddress)));
  });
}
