/** What is on a channel at the moment, if a tuner receives it anyway; otherwise another picture. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { eventCounts, noteRequest } from '../../shared/live.ts';
import { receiver } from '../../shared/receiver.ts';

const refreshIntervalMs = 30_000;
/** Delay before a still is requested again that the receiver is still making. It doubles each time. */
const retryDelayMs = 2500;

interface LivePictureProps {
  readonly reference: string;
  /** The picture without a still. */
  readonly children: ComponentChildren;
}

export function LivePicture({ reference, children }: LivePictureProps) {
  const place = useRef<HTMLSpanElement>(null);
  const [still, show] = useState<string>();
  const [isSeen, setSeen] = useState(false);
  const changes = eventCounts.tuner.value;
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setSeen(entry?.isIntersecting === true));
    if (place.current) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!isSeen) return;
    let timer: ReturnType<typeof setTimeout>;
    const ending = new AbortController();
    let delayMs = retryDelayMs;
    const load = async () => {
      // Without the second, the browser would show the last still again.
      const address = receiver.address('/picture/live', {
        service_reference: reference,
        at: Math.floor(Date.now() / 1000),
      });
      const isOutdated = noteRequest(['tuner']);
      const status = document.hidden ? 0 : await statusOf(address, ending.signal);
      if (ending.signal.aborted) return;
      const isLast = !isOutdated() && status === 204;
      if (status === 200) show(address);
      else if (status === 204) show(undefined);
      if (isLast) return;
      timer = setTimeout(() => void load(), status === 202 ? delayMs : refreshIntervalMs);
      delayMs = status === 202 ? Math.min(2 * delayMs, refreshIntervalMs) : retryDelayMs;
    };
    void load();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [isSeen, reference, changes]);
  return (
    <span class="live-picture" ref={place}>
      {still ? <img src={still} alt="" onError={() => show(undefined)} /> : children}
    </span>
  );
}

/** 0 without a response. */
async function statusOf(address: string, signal: AbortSignal): Promise<number> {
  const response = await fetch(address, { method: 'HEAD', signal }).catch(() => undefined);
  return response?.status ?? 0;
}
