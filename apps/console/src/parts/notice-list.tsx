import '@mantine/notifications/styles.layer.css';
import { Notifications, notifications } from '@mantine/notifications';
import type { Notice } from './notify.tsx';

/** Adds a notice to those that are shown. */
export const show = (notice: Notice): void => void notifications.show({ ...notice });

/** All notices, newest first. */
export default function NoticeList() {
  return <Notifications position="top-right" />;
}
