/** The `Vary` of an answer: names of the header fields of a request that it depends on. */
import type { FastifyReply } from 'fastify';

/** Adds one to those it has, as it is written here: whatever has told it before may write it otherwise. */
export function varyBy(reply: FastifyReply, field: string): void {
  const told = reply.getHeader('vary');
  if (told === undefined) {
    reply.header('Vary', field);
    return;
  }
  const before = String(told).split(',');
  const others = before.map((name) => name.trim()).filter((name) => name && name.toLowerCase() !== field.toLowerCase());
  reply.header('Vary', [...others, field].join(', '));
}
