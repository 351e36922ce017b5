import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { createLiveChannel, type LiveChannel, type LiveStatus, type LiveWebhook } from './live-channel.ts';
import { createRefresher, type Refresher } from './refresher.ts';

/** How often a page asks while no attempts are sent, and while they are: other things change, too. */
const askingMs = 5_000;
const liveMs = 15_000;

const channels = new Map<string, LiveChannel>();

function channelOf(webhook: LiveWebhook | undefined): LiveChannel {
  const key = webhook === undefined ? '' : `${webhook.entityType}/${webhook.webhookID}`;
  const channel = channels.get(key) ?? createLiveChannel(webhook);
  channels.set(key, channel);
  return channel;
}

/**
 * Keeps what a page shows up to date: its queries are read again when attempts are sent, and every few seconds while
 * they cannot be. Show the status with `LiveNote`.
 * @param queryKeys what is read again: every query whose key begins with one of these.
 * @param webhook undefined: all webhooks that the session sees.
 */
export function useLive(queryKeys: readonly QueryKey[], webhook?: LiveWebhook): LiveStatus {
  const queryClient = useQueryClient();
  const channel = channelOf(webhook);
  const [status, setStatus] = useState<LiveStatus>(() => channel.status());
  const refresher = useRef<Refresher>(undefined);
  const refresh = useEffectEvent(() =>
    // A query that is being read is not read twice.
    Promise.all(queryKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false }))),
  );
  useEffect(() => {
    const own = createRefresher(() => refresh());
    refresher.current = own;
    const leave = channel.listen({ onStatus: setStatus, onChange: own.ask });
    return () => {
      leave();
      own.stop();
    };
  }, [channel]);
  const everyMs = status.state === 'live' ? liveMs : askingMs;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) refresher.current?.ask();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return status;
}
