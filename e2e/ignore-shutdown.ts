/** A command after which a guest with systemd does not shut down, until it is started again. */
export const ignoreShutdown =
  "printf '[Unit]\\nDefaultDependencies=no\\nBefore=shutdown.target\\nConflicts=shutdown.target\\n" +
  '[Service]\\nType=oneshot\\nRemainAfterExit=yes\\nExecStart=/bin/true\\nExecStop=/bin/sleep 600\\n' +
  "TimeoutStopSec=900\\n' > /etc/systemd/system/stay.service; systemctl daemon-reload; systemctl start stay";
