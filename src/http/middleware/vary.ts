/** The `Vary` header of a response: the request header fields that it depends on. */
import type { FastifyReply } from 'fastify';

/** Adds a field to those already listed. An existing entry in different case is replaced. */
export function varyBy(reply: FastifyReply, field: string): void {
  const existing = reply.getHeader('vary');
  if (existing === undefined) {
    reply.header('Vary', field);
    return;
  }
  const fields = String(existing).split(',');
  const others = fields.map((name) => name.trim()).filter((name) => name && name.toLowerCase() !== field.toLowerCase());
  reply.header('Vary', [...others, field].join(', '));
}
