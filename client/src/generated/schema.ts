// Generated from contract/openapi.json by `npm run openapi`.

export interface paths {
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the metrics
         * @description Returns the metrics of the service for Prometheus: as OpenMetrics if the client accepts it, otherwise in the text format of Prometheus. The path is not under `/v1`. While the database cannot be reached, only the metrics of the process are returned. This request requires the scope `metrics:read`.
         */
        get: operations["metrics_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List servers
         * @description Returns the servers of the project. All of them are streamed in one response, or, with `limit`, returned in pages. This request requires the scope `servers:read`.
         */
        get: operations["server_list"];
        put?: never;
        /**
         * Create a server
         * @description Creates a server. The response comes at once and contains the IP addresses of the server, while an operation creates it. `GET /v1/servers/{id}/status` returns its progress. To try a request without creating anything, use `POST /v1/servers/dry-run`. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`.
         */
        post: operations["server_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a server
         * @description Returns a server, with its size, addresses, state and current usage. This request requires the scope `servers:read`.
         */
        get: operations["server_view"];
        put?: never;
        post?: never;
        /**
         * Delete a server
         * @description Deletes a server with its disk, and releases its IP addresses. An operation in progress is superseded. This cannot be undone. It is refused with `protected` if `protection.delete` of the server is `true`. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`.
         */
        delete: operations["server_delete"];
        options?: never;
        head?: never;
        /**
         * Update a server
         * @description Changes the name, the labels, the notes and the protection of a server. Concurrent requests do not undo the changes of each other. All but the name can be changed in any state. A new name is shown at once, and an operation sets it inside a server that is started or stopped. The name of a suspended server cannot be changed. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`.
         */
        patch: operations["server_update"];
        trace?: never;
    };
    "/v1/servers/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the status of a server
         * @description Returns the state of a server and the progress of the operation on it. The response is small and cheap to produce: poll it until `is_processing` is `false`. If the last operation failed, `status` says why, and `progress` is what it had reached. This request requires the scope `servers:read`.
         */
        get: operations["server_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate the creation of a server
         * @description Takes the same body as `POST /v1/servers`, and returns the node that the server would run on and the IP addresses that it would get, or the problem with which the request would be refused. Nothing is created or reserved. If the location cannot be reached, a creation is accepted and waits; `warnings` then says so. This request requires the scope `servers:write`.
         */
        post: operations["server_dry_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a server
         * @description Starts a stopped server. If the server is already running, the request is refused with `server_not_stopped`. The request is refused with `traffic_exceeded` if the server has used up its traffic allowance and the `traffic_policy` of its location is `stop`. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`.
         */
        post: operations["server_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restart a server
         * @description Shuts down the guest of a running server, and starts the server again. The request is refused with `traffic_exceeded` if the server has used up its traffic allowance and the `traffic_policy` of its location is `stop`. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`.
         */
        post: operations["server_restart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a server
         * @description Shuts down the guest of a running server. With `force`, in the query or in the body, the power is cut instead, and a start, stop, restart, pause, unpause or unsuspend in progress is superseded, and so is a password that is being set in a running guest. If the server is already stopped, the request is refused with `server_not_running`. A paused server can be stopped only with `force`. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`.
         */
        post: operations["server_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a server
         * @description Freezes a running server: its processes stop where they are, and continue with `unpause`. Its memory is kept, and so it counts as running. A paused server can be unpaused, stopped with `force`, or deleted. A restart of its node ends the pause: the server is then started anew. If the server is not running, the request is refused with `server_not_running`. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`.
         */
        post: operations["server_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/unpause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unpause a server
         * @description Lets a paused server continue where it was. If the server is not paused, the request is refused with `server_not_paused`. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`.
         */
        post: operations["server_unpause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the password of root
         * @description Sets the password of `root`. On a running server it is valid at once, and its guest sets it with `chpasswd`. On a stopped server it is written to the disk, and is valid from the next start. Without `password`, one is generated, which only this response has. After a failure with `password_not_set`, `guest_paused` or `instance_missing`, and after `operation_cancelled`, the previous password is valid; after any other, the new one may have been set. If `password_login` of the server is `false`, SSH still refuses passwords, and the password is for other logins, such as at the console. In other states the request is refused with `password_not_settable`. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        post: operations["server_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a server
         * @description Stops a server, and refuses to start it until it is unsuspended, such as while an invoice is overdue. Its guest is asked to shut down, and its power is cut if it does not shut down in time, or if it is paused. The members of its project can read the reason, and can still delete the server. Its disk, IP addresses and share of the quota are kept. If somebody starts its instance in Incus, it is stopped again. An operation in progress is superseded, except a create, a rebuild, an adoption, a delete, a move, a resize that moves the server, and a password that is being written to the disk of a stopped server. If the server is suspended already, the reason is replaced. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `admin`.
         */
        post: operations["server_suspend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/unsuspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unsuspend a server
         * @description Ends the suspension of a server. It is started if it was running or paused when it was suspended, unless its traffic allowance is used up and the `traffic_policy` of its location is `stop`. If the server is still being suspended, that operation is superseded. If it is not suspended, the request is refused with `server_not_suspended`. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `admin`.
         */
        post: operations["server_unsuspend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a server to another node
         * @description Moves a server to another node of its location, with its disk and its IP addresses. A running server is shut down for the move, by cutting its power if its guest does not shut down in time, and is started on the new node; a virtual machine that supports live migration keeps running. If the move fails, the server stays where it is. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `admin`.
         */
        post: operations["server_move"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a failed creation
         * @description Retries a failed creation, with the same IP addresses, password, SSH keys, user data and initial commands. The latter four are kept for 24 hours after the failure. What the failed attempt left behind is removed first. If a rebuild of the server has failed or was cancelled since, its request is carried out. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`.
         */
        post: operations["server_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuild a server
         * @description Creates a server again from the image of its operating system, or of another one, with the same ID, UUID, IP addresses and size. **Everything on its disk is lost**, which the request has to confirm with `erase`. The power of a running server is cut. The password, the SSH keys, the user data and the initial commands are those of the request, and the server gets new host keys. If the operation fails before it erases the disk, such as because the image cannot be downloaded, the server stays as it was. If it fails later, it can be retried for 24 hours. A server whose node was declared lost is rebuilt on another node, and needs no `erase`. It is refused with `protected` if `protection.rebuild` of the server is `true`. The request is refused with `traffic_exceeded` if the server has used up its traffic allowance and the `traffic_policy` of its location is `stop`. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`.
         */
        post: operations["server_rebuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/resize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resize a server
         * @description Changes the cores, the memory and the disk of a server, to those of a size of `GET /v1/sizes` or to others. They change at once, also while it runs. A disk can only grow. Memory can be reduced to more than what the server has in use; otherwise the operation fails with `memory_in_use`. If the node of the server has no room for the new size, the request is refused, or, with `allow_move`, the server moves to another node: a running server is shut down for that, by cutting its power if its guest does not shut down in time, and is started there. If the operation fails, its message says what the server has. Once the server has another `size`, or none, it has the traffic allowance of a new server. The request is refused with `traffic_exceeded` if the server runs, has used up its traffic allowance, and the `traffic_policy` of its location is `stop`. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `servers:write`.
         */
        post: operations["server_resize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Act on several servers
         * @description Carries out an action on several servers of the project, 100 at most: those of `ids`, or those that `label_selector` selects. The response comes at once, and has for each server the operation that carries out the action, or the reason why it was refused: a server that refuses does not keep the others from accepting. Its status is 200 even if all of them refuse. Each server that accepts counts as a change in the rate limits, and has an entry in the audit log, as if it had been requested alone. If the limit is exceeded, or another error is returned, no server has accepted. With an `Idempotency-Key`, the same request gets the same results again, for the same servers, whatever their labels are by then; to try again those that were refused, use a new key. An operation can still fail: poll `GET /v1/operations/{id}`. This request requires the scope `servers:write`.
         */
        post: operations["server_bulk_action"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/console": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request the console of a server
         * @description Returns a URL at which the console of a running server can be opened with a WebSocket: what its guest shows on its own terminal, such as the login prompt. The URL can be used once, within 30 seconds. The console is closed when the session or the token ends that requested it. A server has four consoles at most. `docs/console.md` describes the messages. This request requires the scope `servers:write`.
         */
        post: operations["server_console"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the usage history of a server
         * @description Returns the resources that a server used over time, in at most 2000 steps. Steps of 15 seconds are available for the last 2 hours, of 5 minutes for 7 days, and of an hour for 13 months; multiples of them can be requested. A value is null, not 0, if it is unknown for the step. This request requires the scope `servers:read`.
         */
        get: operations["server_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/servers/{id}/traffic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the traffic of a server
         * @description Returns the traffic of a server in the current and the previous month, its traffic allowance, and what happens when the allowance is used up. This request requires the scope `servers:read`.
         */
        get: operations["server_traffic"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the traffic allowance of a server
         * @description Changes the traffic allowance of a server. Consequences, such as the end of a throttle, take effect within 15 seconds. This request requires the scope `admin`.
         */
        patch: operations["server_traffic_update"];
        trace?: never;
    };
    "/v1/ssh-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List SSH keys
         * @description Returns the SSH keys of the project, sorted by ID. This request requires the scope `servers:read`.
         */
        get: operations["ssh_key_list"];
        put?: never;
        /**
         * Create an SSH key
         * @description Adds a public key to the project. Name it in `ssh_keys` of `POST /v1/servers` to have the new server let it in as `root`. Servers that exist are not changed. A project can have up to 100 SSH keys. This request requires the scope `servers:write`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        post: operations["ssh_key_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ssh-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an SSH key
         * @description Returns an SSH key. This request requires the scope `servers:read`.
         */
        get: operations["ssh_key_view"];
        put?: never;
        post?: never;
        /**
         * Delete an SSH key
         * @description Deletes an SSH key, so that no further server can be created with it. Servers that have it keep it: remove it from `/root/.ssh/authorized_keys` of each. A creation that was requested with it before still installs it. This request requires the scope `servers:write`.
         */
        delete: operations["ssh_key_delete"];
        options?: never;
        head?: never;
        /**
         * Rename an SSH key
         * @description Renames an SSH key. Servers keep showing the name that it had when they were created. This request requires the scope `servers:write`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        patch: operations["ssh_key_update"];
        trace?: never;
    };
    "/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operations
         * @description Returns the operations on the servers of the project, including servers that no longer exist. All of them are streamed in one response, or, with `limit`, returned in pages. The `output` of commands is null here; `GET /v1/operations/{id}` returns it. This request requires the scope `servers:read`.
         */
        get: operations["operation_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an operation
         * @description Returns an operation, with its progress and its outcome. Only administrators can get operations on nodes. This request requires the scope `servers:read`.
         */
        get: operations["operation_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{id}/commands/{index}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the output of an initial command
         * @description Returns the last 4 KiB of what an initial command wrote to standard output and standard error, as plain text. The response is 404 if there is no such command, or if its output was removed. This request requires the scope `servers:read`.
         */
        get: operations["operation_command_output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an operation
         * @description Ends an operation on a server, undoes what its request has changed, and returns it. `cancellable` of an operation says whether this is possible now. A `start`, `stop`, `restart`, `pause`, `unpause` or `set_password` can be cancelled while it is `pending`, but not a `stop` that has superseded another operation, or that Berth has requested because the traffic allowance of the server is used up. A `create` can be cancelled until its guest is started: the server is deleted, as it did not exist before, unless it is protected against that. A rebuild can be cancelled until it erases the disk, such as while it gets its image, and the server stays as it was. So can a retry, or the rebuild of a server without a system; the `status` of the server is `error` then, and a retry carries out what was cancelled. A `resize` can be cancelled until it changes the size, or moves the server for that, unless Berth is still finding out which size the server has after an earlier one. Otherwise the request is refused with `not_cancellable`, and with `operation_ended` if the operation has ended. While an operation waits for a node that does not answer, a request can be refused although the next one is accepted. To cancel it again changes nothing. This request requires the scope `servers:write`.
         */
        post: operations["operation_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream or list events
         * @description Returns changes of servers, operations and nodes as events: as a stream of server-sent events that does not end, or as a list. It is a list if the request has `after`, `limit` or `cursor`, and a stream otherwise, unless `Accept` names one of `text/event-stream` and `application/json`. A stream begins with the next event, or after the one in the header `Last-Event-ID`, which an `EventSource` sends when it connects again. Each event has its `id`, its `event`, which is its `type`, and its `data`, which is the object of the list. `id` is also sent without `data`, with each heartbeat. Events are kept for 30 days. Administrators get the events of all projects, and those of nodes, unless the request names a project. `docs/events.md` has more. This request requires the scope `servers:read`.
         */
        get: operations["event_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Returns the webhooks of the project, sorted by ID, without their secrets. This request requires the scope `servers:write`.
         */
        get: operations["webhook_list"];
        put?: never;
        /**
         * Create a webhook
         * @description Creates a webhook: from now on, each event of the project that it selects is sent to its URL by POST, as the object that `GET /v1/events` returns, until the URL responds with a status from 200 to 299, for up to 24 hours. An event can arrive more than once, and events in any order. The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` are those of [Standard Webhooks](https://www.standardwebhooks.com). The response is the only one that contains the secret for the signature. A project can have up to 20 webhooks. `docs/webhooks.md` has more. This request requires the scope `servers:write`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        post: operations["webhook_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Returns a webhook, without its secret. This request requires the scope `servers:write`.
         */
        get: operations["webhook_view"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes a webhook with its secrets. Nothing more is sent to it, except what is being sent now. This request requires the scope `servers:write`.
         */
        delete: operations["webhook_delete"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Changes a webhook. Pending deliveries are sent with the new URL and headers. If the URL is of another origin, `headers` must be given again, because their values are secret. `enabled` as `true` also resumes a paused webhook. This request requires the scope `servers:write`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        patch: operations["webhook_update"];
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a webhook
         * @description Gives a webhook a new secret, which only this response contains. For `keep_former_hours`, 24 by default, each delivery has a signature with each of the two secrets, so that receivers can replace theirs at any time within it. This request requires the scope `servers:write`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        post: operations["webhook_rotate_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description Returns the deliveries of a webhook, each with its last attempt. They are kept for 30 days. `sort=-id` returns the newest first. This request requires the scope `servers:write`.
         */
        get: operations["webhook_delivery_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery
         * @description Returns a delivery of a webhook. What was sent is the event: `GET /v1/events` returns it with `after` as its ID minus 1 and `limit` as 1. This request requires the scope `servers:write`.
         */
        get: operations["webhook_delivery_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends an event of the type `webhook.test` to the webhook, also to one that is disabled or paused. It is attempted once, and does not count as a failure of the webhook. Poll the delivery for its result until it is not `pending`. This request requires the scope `servers:write`.
         */
        post: operations["webhook_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again
         * @description Sends the event of a delivery again, also to a webhook that is disabled or paused. It is a new delivery with the same `message_id`, which is retried like any other. If the delivery is still `pending`, it is attempted now instead. This request requires the scope `servers:write`.
         */
        post: operations["webhook_delivery_redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List locations
         * @description Returns all locations, sorted by ID. This request requires the scope `servers:read`.
         */
        get: operations["location_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/locations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a location
         * @description Returns a location, with the sizes that servers there can have and the state of its engine. This request requires the scope `servers:read`.
         */
        get: operations["location_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a location
         * @description Changes a location: its description, the sizes of new servers, overcommit ratios, traffic policy and network rules. This request requires the scope `admin`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        patch: operations["location_update"];
        trace?: never;
    };
    "/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List nodes
         * @description Returns the nodes of all locations, sorted by ID. This request requires the scope `admin`.
         */
        get: operations["node_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a node
         * @description Returns a node, with its state, its resources and how much of them is in use. This request requires the scope `admin`.
         */
        get: operations["node_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{name}/cordon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cordon a node
         * @description Marks a node so that no new servers are placed on it. Servers on the node keep running. Cordoning a cordoned node changes nothing. This request requires the scope `admin`.
         */
        post: operations["node_cordon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{name}/uncordon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Uncordon a node
         * @description Removes the mark of a cordoned node, so that new servers can be placed on it again. Uncordoning a node that is not cordoned changes nothing. This request requires the scope `admin`.
         */
        post: operations["node_uncordon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{name}/evacuate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Evacuate a node
         * @description Moves all servers of a node to other nodes, a few at a time, and then takes the node out of service in Incus. From the request on, no new servers are placed on it. Servers for which there is no capacity, or that cannot be moved, stay; the operation then fails and lists them, and another request continues with them. A restore in progress is superseded, and the servers that it has moved back are moved away again. This request requires the scope `admin`.
         */
        post: operations["node_evacuate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{name}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an evacuated node
         * @description Puts a node back into service in Incus, so that servers can be placed on it again, and moves back the servers that its evacuation moved away, except those that were moved again since or for which there is no capacity. An evacuation in progress is superseded: this is how to cancel one. This request requires the scope `admin`.
         */
        post: operations["node_restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/{name}/declare-lost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Declare a node lost
         * @description Gives up a node that will not come back. Switch the machine off first: if it keeps running, so do its servers, with their IP addresses. The servers of the node get the status `error`, and the member is removed from the Incus cluster by force. Then the servers can be rebuilt or deleted. This cannot be undone. The request is refused while the node answers. This request requires the scope `admin`.
         */
        post: operations["node_declare_lost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List drift
         * @description Returns the lasting differences between the records and Incus that somebody has made by hand, at all locations and in all projects, sorted by ID. The sweep of a location, which runs each minute, finds them, and a difference is listed once two sweeps in a row have seen it. What an operation is changing does not count. This request requires the scope `admin`.
         */
        get: operations["drift_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drift/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a drift record
         * @description Returns a drift record, forgotten or not. It exists as long as there is a difference. This request requires the scope `admin`.
         */
        get: operations["drift_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drift/{id}/adopt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adopt an instance
         * @description Makes a server of an unknown or a foreign instance, which was there before Berth, in the project of the request, which `Berth-Project` selects. The instance keeps its disk, and its IP addresses if address pools of the location have them; one without addresses gets new ones. It is renamed, and gets the limits, the filters and the security settings of a server. A running instance is shut down for that, by cutting its power if it does not shut down in time, and started again. The size of the server is that of the instance, unless the request says otherwise, and counts towards the quota. A foreign instance is moved to the Incus project of the location. If the operation fails, the instance gets its name and its project back, and the server is removed. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `admin`.
         */
        post: operations["drift_adopt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drift/{id}/repair": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repair drift
         * @description Gives the instance of a server the configuration that the records say: its limits, its devices, its addresses, its labels and its name. Devices and profiles that were added are removed. A running server keeps running; its network may be interrupted for a moment if its network interface is changed. A disk that is too large is not made smaller, and memory that the guest has in use is not taken from it; the operation then says so. With `Prefer: wait=N`, the response waits up to N seconds for the operation to end. If the operation fails, the response is a problem (409, 502 or 503) with the code of the failure and the `operation`. If the wait is over first, the response says what the operation is doing, and why if it is being retried. This request requires the scope `admin`.
         */
        post: operations["drift_repair"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drift/{id}/forget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forget drift
         * @description Accepts the differences of a drift record as they are. It is no longer listed or counted, until somebody changes the same instance again. Neither the instance nor the records are changed. `GET /v1/drift?forgotten=true` lists forgotten drift, which can still be repaired. This request requires the scope `admin`.
         */
        post: operations["drift_forget"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operating-systems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operating systems
         * @description Returns all operating systems, sorted by ID. This request requires the scope `servers:read`.
         */
        get: operations["operating_system_list"];
        put?: never;
        /**
         * Create an operating system
         * @description Adds an operating system whose image comes from an image server. Its image is downloaded when a server first needs it; `POST /v1/operating-systems/{id}/images` downloads it in advance. This request requires the scope `admin`.
         */
        post: operations["operating_system_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operating-systems/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an operating system
         * @description Returns an operating system, with the smallest size of a server that it needs. This request requires the scope `servers:read`.
         */
        get: operations["operating_system_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update an operating system
         * @description Changes the minimum size of servers with an operating system, or whether new servers can be created with it. This request requires the scope `admin`.
         */
        patch: operations["operating_system_update"];
        trace?: never;
    };
    "/v1/operating-systems/{id}/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the images of an operating system
         * @description Returns the image of an operating system at each location that has it or that it is being imported to. This request requires the scope `admin`.
         */
        get: operations["image_list"];
        put?: never;
        /**
         * Import an image to a location
         * @description Downloads or builds the image of an operating system at a location in advance, so that the first server does not have to wait for it. The import is not an operation: the response is the image, without `operation`, and `Prefer: wait` has no effect. To follow the import, poll the path in the header `Location`, which lists just this image, until its `status` is `ready` or `failed`. This request requires the scope `admin`.
         */
        post: operations["image_import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sizes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sizes
         * @description Returns the sizes that servers can be created with and resized to, and what they cost, sorted by ID. Those out of use are included, and are `deprecated`. This request requires the scope `servers:read`.
         */
        get: operations["size_list"];
        put?: never;
        /**
         * Create a size
         * @description Adds a size, which servers can get at once. `sizes_only` of a project requires its servers to have such sizes. This request requires the scope `admin`.
         */
        post: operations["size_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sizes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a size
         * @description Returns a size, and what it costs. This request requires the scope `servers:read`.
         */
        get: operations["size_view"];
        put?: never;
        post?: never;
        /**
         * Delete a size
         * @description Deletes a size. The request is refused with `size_in_use` while servers have the size, or are being resized to it; set `deprecated` then. Statements keep its hours and prices. This request requires the scope `admin`.
         */
        delete: operations["size_delete"];
        options?: never;
        head?: never;
        /**
         * Update a size
         * @description Changes a size: its name, its price, where servers can get it, or whether it is out of use. A price applies to all hours from now on, also to those of servers that have the size. This request requires the scope `admin`.
         */
        patch: operations["size_update"];
        trace?: never;
    };
    "/v1/address-pools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List address pools
         * @description Returns the address pools of all locations, sorted by ID. This request requires the scope `admin`.
         */
        get: operations["address_pool_list"];
        put?: never;
        /**
         * Create an address pool
         * @description Adds an address pool to a location. New servers get one address of each IP version for which the location has an enabled pool. This request requires the scope `admin`.
         */
        post: operations["address_pool_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/address-pools/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an address pool
         * @description Returns an address pool, with the number of its addresses that are assigned. This request requires the scope `admin`.
         */
        get: operations["address_pool_view"];
        put?: never;
        post?: never;
        /**
         * Delete an address pool
         * @description Deletes an address pool. The request is refused with `address_pool_in_use` while servers have addresses of the pool. This request requires the scope `admin`.
         */
        delete: operations["address_pool_delete"];
        options?: never;
        head?: never;
        /**
         * Update an address pool
         * @description Enables or disables an address pool. A disabled pool drains: servers keep the addresses that they have, and new servers get none of it. This request requires the scope `admin`.
         */
        patch: operations["address_pool_update"];
        trace?: never;
    };
    "/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects
         * @description Returns the projects that the caller can access: for a token its own project, for a user the projects that they are a member of, and for an administrator all projects. This request requires the scope `servers:read`.
         */
        get: operations["project_list"];
        put?: never;
        /**
         * Create a project
         * @description Creates a project. It has no members and no tokens yet. This request requires the scope `admin`.
         */
        post: operations["project_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a project
         * @description Returns a project, with its quota. This request requires the scope `servers:read`.
         */
        get: operations["project_view"];
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description Deletes a project that has no servers, and revokes its tokens. Its history is kept. The first project of the installation, and the project of the token that makes the request, cannot be deleted. This request requires the scope `admin`.
         */
        delete: operations["project_delete"];
        options?: never;
        head?: never;
        /**
         * Update a project
         * @description Changes a project, such as its name or its quota. A lower quota and `sizes_only` do not affect existing servers. This request requires the scope `admin`.
         */
        patch: operations["project_update"];
        trace?: never;
    };
    "/v1/projects/{id}/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the quota of a project
         * @description Returns the limits of a project, and how much of each its servers use. This request requires the scope `servers:read`.
         */
        get: operations["project_quota"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{id}/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the statement of a project
         * @description Returns the resources and the traffic that the servers of a project used in a calendar month (UTC), and what they cost, including deleted servers, as a basis for bills. The response is streamed. This request requires the scope `servers:read`.
         */
        get: operations["project_statement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{id}/statement.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the statement of a project as CSV
         * @description Returns the `servers` of a statement as CSV (RFC 4180). The columns are the fields of a server, without its `charges`, and the first line has their names. This request requires the scope `servers:read`.
         */
        get: operations["project_statement_csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of a project
         * @description Returns the members of a project, with their roles. Only owners of the project and administrators can do this. This request requires the scope `servers:read`.
         */
        get: operations["member_list"];
        put?: never;
        /**
         * Add a member to a project
         * @description Adds a user to a project, by their email address. Only owners of the project and administrators can do this. This request requires the scope `servers:read`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        post: operations["member_add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a member of a project
         * @description Returns a member of a project. Only owners of the project and administrators can do this. This request requires the scope `servers:read`.
         */
        get: operations["member_view"];
        /**
         * Update a member of a project
         * @description Changes the role of a member. Only owners of the project and administrators can do this. The last owner of a project keeps that role. This request requires the scope `servers:read`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        put: operations["member_set"];
        post?: never;
        /**
         * Remove a member from a project
         * @description Removes a member from a project, and revokes the tokens that the member created for it. Owners of the project and administrators can do this, and members can remove themselves. The last owner cannot be removed, not even by an administrator. This request requires the scope `servers:read`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        delete: operations["member_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current token or session
         * @description Returns the token or session of the request, what it allows, and the project that the request is about. This request requires the scope `servers:read`.
         */
        get: operations["whoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tokens of the project
         * @description Returns the tokens of the project that were not revoked, without their secrets. This request requires the scope `servers:read`.
         */
        get: operations["token_list"];
        put?: never;
        /**
         * Create a token
         * @description Creates a token for the project. It cannot allow more than the token or session that creates it. The response is the only one that contains its secret. This request requires the scope `servers:write`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        post: operations["token_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a token
         * @description Returns a token, without its secret. This request requires the scope `servers:read`.
         */
        get: operations["token_view"];
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description Revokes a token, and with it all tokens that were created with it, directly or indirectly, in whatever project. `revoked_tokens` says how many tokens were revoked, and counts the token itself. To replace a token without ending the others, create those with another one first. The tokens are refused from the next request on, by other replicas of the service within a second. A token can revoke itself and the tokens that were created with it, a user their own ones, and owners and administrators all of the project. This request requires the scope `servers:write`.
         */
        delete: operations["token_revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device-authorizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a person for a token
         * @description Begins a sign-in of a program, as RFC 8628 describes it. The program shows `user_code`, opens `verification_url_complete` in a browser, where a person who is signed in to the panel approves, and meanwhile asks for the token with `device_code`. This request needs no authentication.
         */
        post: operations["device_authorization_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device-authorizations/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the token that a person has approved
         * @description Returns the token, once. Until somebody has approved or denied it, the response is 400 `authorization_pending`: ask again after `interval` seconds. This request needs no authentication.
         */
        post: operations["device_authorization_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device-authorizations/{user_code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the program that waits with a code
         * @description Returns which program waits for a token with this code. Wrong codes are limited. This request requires the scope `servers:write`.
         */
        get: operations["device_authorization_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device-authorizations/{user_code}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a program a token
         * @description Creates a token for the project, as `POST /v1/tokens` does, for the program that waits with this code. Only that program gets its secret. If it has not fetched it when the code expires, the token is revoked within an hour. This request requires the scope `servers:write`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        post: operations["device_authorization_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/device-authorizations/{user_code}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deny a program a token
         * @description Denies a token to the program that waits with this code. This request requires the scope `servers:write`.
         */
        post: operations["device_authorization_deny"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get whether the setup is open
         * @description Returns whether the first administrator can be made in the browser. This is possible as long as there has been no user, for 24 hours after each start of the service. This request needs no authentication.
         */
        get: operations["setup_view"];
        put?: never;
        /**
         * Create the first administrator
         * @description Creates the first administrator with the code that `npm start` prints, makes them an owner of the project `default`, and signs them in as `POST /v1/session` does. The code can be used once. This request needs no authentication.
         */
        post: operations["setup_complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current session
         * @description Returns the user who is signed in, their projects, and the `csrf_token` that changes need. This request requires a session.
         */
        get: operations["session_view"];
        put?: never;
        /**
         * Sign in with a password
         * @description Starts a session with an email address and a password, and sets the session cookie. The session ends 12 hours after its last use, and at the latest 30 days after the sign-in. A session whose cookie is sent with the request ends. This request needs no authentication.
         */
        post: operations["session_create"];
        /**
         * Sign out
         * @description Ends the current session. This request requires a session.
         */
        delete: operations["session_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description Returns all sessions of the user who is signed in, the newest first. This request requires a session.
         */
        get: operations["session_list"];
        put?: never;
        post?: never;
        /**
         * Sign out everywhere
         * @description Ends all sessions of the user, including the current one. The tokens of the user stay valid unless `tokens` is `true`. This request requires a session.
         */
        delete: operations["session_delete_all"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change your password
         * @description Changes the password of the user who is signed in, and ends their other sessions. Their tokens stay valid; `DELETE /v1/sessions?tokens=true` revokes them. This request requires a session.
         */
        put: operations["password_change"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm your identity
         * @description Confirms the identity of the user who is signed in, by their password or by a passkey. Requests that give lasting access or take it away, such as those that create tokens or change users, members or passkeys, require a sign-in or a confirmation within the last ten minutes. For a passkey, get a challenge from `POST /v1/session/passkey/options`. This request requires a session.
         */
        post: operations["session_confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how people can sign in
         * @description Returns whether people can sign in with passkeys and at an OpenID provider, in addition to passwords. This request needs no authentication.
         */
        get: operations["session_methods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Complete a sign-in with OpenID Connect
         * @description Receives the browser that the OpenID provider sends back, starts a session, and redirects the browser to the panel. If the sign-in has failed, the redirect leads to its page `/sign-in`, and the parameter `failed` says why: `not_begun`, `cancelled`, `not_confirmed`, `provider_unavailable`, `email_missing`, `email_unverified`, `email_in_use`, `domain_not_allowed`, `user_disabled`. This request needs no authentication.
         */
        get: operations["session_oidc_callback"];
        put?: never;
        /**
         * Start a sign-in with OpenID Connect
         * @description Returns the URL of the OpenID provider to send the browser to. After the sign-in there, the provider sends the browser back to `GET /v1/session/oidc`. This request needs no authentication.
         */
        post: operations["session_oidc_begin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a sign-in with a passkey
         * @description Returns a challenge for a sign-in with a passkey. No user name is needed, because the passkey identifies the user. The browser signs the challenge, and `POST /v1/session/passkey` completes the sign-in. This request needs no authentication.
         */
        post: operations["session_passkey_options"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description Completes a sign-in with a passkey, and sets the session cookie. The session ends 12 hours after its last use. This request needs no authentication.
         */
        post: operations["session_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your passkeys
         * @description Returns the passkeys of the user who is signed in. This request requires a session.
         */
        get: operations["passkey_list"];
        put?: never;
        /**
         * Add a passkey
         * @description Adds a passkey that the browser created to the user who is signed in. This request requires a session. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        post: operations["passkey_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a passkey
         * @description Deletes a passkey of the user who is signed in. It can no longer be used to sign in. This request requires a session. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        delete: operations["passkey_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start adding a passkey
         * @description Returns the options of a new passkey. The browser creates the passkey, and `POST /v1/passkeys` adds it. This request requires a session. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        post: operations["passkey_options"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Returns all users, sorted by ID. This request requires the scope `admin`.
         */
        get: operations["user_list"];
        put?: never;
        /**
         * Create a user
         * @description Adds a user. A user who is not an administrator can do nothing until they are a member of a project. This request requires the scope `admin`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        post: operations["user_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Returns a user. This request requires the scope `admin`.
         */
        get: operations["user_view"];
        put?: never;
        post?: never;
        /**
         * Delete a user
         * @description Deletes a user, ends their sessions and revokes their tokens. The audit log keeps the ID of the user. The last owner of a project cannot be deleted. This request requires the scope `admin`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        delete: operations["user_delete"];
        options?: never;
        head?: never;
        /**
         * Update a user
         * @description Changes a user. A new password ends the sessions of the user at once, and does not affect their tokens. Disabling a user ends their sessions, and their tokens are refused until the user is enabled again. To change your own password, use `PUT /v1/session/password`. This request requires the scope `admin`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        patch: operations["user_update"];
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List entries of the audit log
         * @description Returns the audit log: all requests that changed something, all requests that were refused, except those beyond the rate limit (429), and the changes of command-line tools. Administrators get the entries of all projects. All of them are streamed in one response, or, with `limit`, returned in pages. `sort=-id` returns the newest first. This request requires the scope `servers:read`.
         */
        get: operations["audit_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the audit log
         * @description Returns the entries of the audit log as JSON Lines: one JSON object on each line, the oldest first. This request requires the scope `servers:read`.
         */
        get: operations["audit_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the settings
         * @description Returns the settings of the installation. This request requires the scope `admin`.
         */
        get: operations["settings_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the settings
         * @description Changes settings of the installation. Settings that are omitted are not changed. This request requires the scope `admin`. In a session, the sign-in or its last confirmation (`POST /v1/session/confirm`) must be no more than ten minutes ago.
         */
        patch: operations["settings_update"];
        trace?: never;
    };
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the health of the service
         * @description Returns whether the service can handle requests, and the state of each of its components. The status code is 503 if it cannot. The result is cached for a second. This request needs no authentication.
         */
        get: operations["health_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the readiness of this service
         * @description Returns whether a load balancer should send requests to this service. The status code is 503 while the service is stopping, cannot reach its database, or cannot write to it, for example because the disk is full. Locations are not checked, because all services share them. This request needs no authentication.
         */
        get: operations["health_ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the version
         * @description Returns the release of Berth that this service runs. During an upgrade, services behind a load balancer may run different releases. This request requires the scope `servers:read`.
         */
        get: operations["version_view"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Accepted
         * @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`.
         */
        Accepted: {
            /**
             * @description What was accepted, as human-readable text. With `Prefer: wait`: the message of the operation, which says what it is doing, why it is being retried, or how it ended.
             * @example The server is being started.
             */
            message: string;
            /**
             * @deprecated
             * @description Deprecated since 1.0.0-rc.1: use `operation.id`, which is the same ID.
             * @example 7
             */
            operation_id: number;
            operation: components["schemas"]["OperationOutcome"];
        };
        /**
         * AddressPool
         * @description A range of IPv4 or IPv6 addresses that are assigned to the servers of a location.
         */
        AddressPool: {
            /**
             * @description The ID of the address pool.
             * @example 1
             */
            id: number;
            /**
             * @description The ID of the location whose servers get addresses from the pool.
             * @example 1
             */
            location_id: number;
            /**
             * @description The subnet of the pool, in CIDR notation.
             * @example 203.0.113.0/24
             */
            cidr: string;
            /**
             * @description The address of the default gateway of servers. It is never assigned to a server.
             * @example 203.0.113.1
             */
            gateway: string;
            /** @description The DNS servers that servers use, in order of preference. */
            nameservers: string[];
            /**
             * @description The first address of the pool that can be assigned to a server.
             * @example 203.0.113.2
             */
            first: string;
            /**
             * @description The last address of the pool that can be assigned to a server.
             * @example 203.0.113.254
             */
            last: string;
            /** @description Whether new servers get addresses from the pool. If `false`, the pool drains: servers keep the addresses that they have, and no others are assigned. */
            enabled: boolean;
            /**
             * @description The number of addresses of the pool that are assigned to servers.
             * @example 12
             */
            held: number;
            /**
             * @description Addresses that are not assigned to new servers, because Incus instances that belong to no server use them. Such instances can be there after the database was restored from a backup.
             * @example []
             */
            reserved: {
                /**
                 * @description The reserved address.
                 * @example 203.0.113.9
                 */
                ip: string;
                /**
                 * @description The name of the Incus instance that uses the address.
                 * @example srv-6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
                 */
                instance: string;
            }[];
        };
        /**
         * AddressPoolCreate
         * @description The address pool to add to a location.
         */
        AddressPoolCreate: {
            /**
             * @description The location whose servers get addresses from the pool. The value is the ID or name of a location.
             * @example 1
             * @example local
             */
            location_id: number | string;
            /**
             * @description The subnet of the pool, in CIDR notation. The network of the location must carry it, and no other pool may overlap it.
             * @example 203.0.113.0/24
             */
            cidr: string;
            /**
             * @description The address of the default gateway, within the subnet. It is never assigned to a server.
             * @example 203.0.113.1
             */
            gateway: string;
            /** @description Up to 3 DNS servers that servers use, in order of preference. The default is the gateway. */
            nameservers?: string[];
            /**
             * @description The first address that can be assigned to a server. The default is the first one of the subnet.
             * @example 203.0.113.2
             */
            first?: string;
            /**
             * @description The last address that can be assigned to a server. The default is the last one of the subnet.
             * @example 203.0.113.254
             */
            last?: string;
            /** @description Whether new servers get addresses from the pool. Servers keep the addresses that they have. The default for a new pool is `true`. */
            enabled?: boolean;
        };
        /**
         * AddressPoolId
         * @description The ID of an address pool, in digits.
         * @example 1
         */
        AddressPoolId: string | number;
        /**
         * AddressPoolUpdate
         * @description The fields to change. Fields that are omitted are not changed.
         */
        AddressPoolUpdate: {
            /** @description Whether new servers get addresses from the pool. Servers keep the addresses that they have. The default for a new pool is `true`. */
            enabled?: boolean;
        };
        /**
         * AuditEntry
         * @description An action that changed something, or a request that was refused.
         */
        AuditEntry: {
            /**
             * @description The ID of the entry.
             * @example 12
             */
            id: number;
            /**
             * Format: date-time
             * @description The time at which the entry was recorded. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project to whose history the entry belongs. Null for actions that are about no project, such as changes of users and locations.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the token of the request. Null if it was made without a token.
             * @example 3
             */
            token_id: number | null;
            /**
             * @description The ID of the user who made the request, or to whom its token belongs. Null if no user is known.
             * @example 2
             */
            user_id: number | null;
            /**
             * @description The source of the action. `api`: a request. `command_line`: a command-line tool, whose user is not known. `berth`: Berth itself.
             * @example api
             * @enum {string}
             */
            source: "api" | "command_line" | "berth";
            /**
             * @description The IP address of the request, or of the last one if the entry stands for several. Null if the source is not `api`, and if the entry stands for several callers. Also null for an administrator who is not a member of the project, unless an administrator asks.
             * @example 203.0.113.7
             */
            address: string | null;
            /**
             * @description The number of IP addresses that the requests came from, up to 1,000. It is 0 if the source is not `api`.
             * @example 1
             */
            address_count: number;
            /**
             * @description The action: the `operationId` of the request. A request for several servers has an entry for each of them, with the action on it, such as `server_stop`, and the same `request_id`. Actions of Berth itself are `traffic_notice`, `traffic_throttle`, `webhook_pause`, `initial_commands_failed` at the end of the creation of a server, `statement_correct`, and `server_stop` for a server that has used up its traffic allowance. Actions only of command-line tools are `database_export`, `database_import` and `secret_key_rotate`. `requests_refused` stands for refusals of several actions.
             * @example server_create
             */
            action: string;
            /** @description The object that the action was about. For a refused request it is the one that the path names. Null if there is none. */
            target: {
                /**
                 * @description The kind of object that the action was about.
                 * @example server
                 * @enum {string}
                 */
                kind: "project" | "token" | "ssh_key" | "webhook" | "user" | "server" | "location" | "node" | "operating_system" | "size" | "address_pool";
                /**
                 * @description The ID of the object.
                 * @example 42
                 */
                id: number;
            } | null;
            /**
             * @description The HTTP status code of the response, or of the last one if the entry stands for several. The action was done if it is below 400.
             * @example 201
             */
            status: number;
            /**
             * @description The code of the problem. Null unless the request was refused, and if the entry stands for refusals with several codes.
             * @example no_capacity
             */
            code: string | null;
            /**
             * @description The `X-Request-Id` of the response. Null if the source is not `api`.
             * @example 1c9f0d1e-52a4-4c35-a2a5-3f6f0f0b4f0a
             */
            request_id: string | null;
            /**
             * @description Further details of the action, such as values before and after a change: quota, role, scopes, is_admin, is_disabled, percent, allowance, throttled_to, throttle_error, force, operation_id, total, failed, key, file, as_of, revoked_tokens, password_changed, generated, name, labels, notes_changed, protection, instance, drift, incus_project, adopt_from, url_origin, types, label_selector, headers_changed, former_secret_until, delivery, paused_because, failing_since. `machine_user` is who ran a command-line tool on its machine, and is shown to administrators only. For `requests_refused`, `actions` holds the number of requests for each action. Null if there are none.
             * @example {
             *       "role": {
             *         "before": "viewer",
             *         "after": "member"
             *       }
             *     }
             */
            details: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The number of requests that the entry stands for. It is 1 for a change, and for the first of several refusals. Further refusals within a minute of the same action, to the same token or user and with the same code, are recorded in one entry, with the target if all had the same one, and the `address` and `request_id` of the last. If the caller is unknown, as at a sign-in, requests from the same address (for IPv6, the same /64) for the same target are recorded together. If one caller, or one project, is refused in very many ways within a minute, the rest is recorded in one entry, with the action `requests_refused` if the actions differ.
             * @example 1
             */
            count: number;
            /**
             * Format: date-time
             * @description The time of the first of these requests. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            first_at: string;
            /**
             * Format: date-time
             * @description The time of the last of these requests. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            last_at: string;
        };
        /**
         * BulkAction
         * @description An action, and the servers on which to carry it out: those of `ids`, or those that `label_selector` selects. One of the two is required.
         */
        BulkAction: {
            /**
             * @description What to do with each of the servers.
             * @example stop
             * @enum {string}
             */
            action: "start" | "stop" | "restart" | "pause" | "unpause" | "retry" | "delete";
            /** @description The servers: 1 to 100 of them. One that is named several times counts once. An ID that no server of the project has is refused in `results`, such as that of a server that was deleted meanwhile. A name or a UUID that no server has makes the whole request invalid, and nothing is done. */
            ids?: (number | string)[];
            /**
             * @description The servers of the project whose labels satisfy this selector, in the syntax of Kubernetes: requirements, separated by commas, all of which must be satisfied. `env=prod` (or `==`), `env!=prod`, `env in (prod,test)`, `env notin (prod,test)`, `env` (has the label), `!env` (does not), `size>3`, `size<3`. `!=` and `notin` are also satisfied without the label, `>` and `<` only by whole numbers. If more than 100 servers do, the request is refused as invalid, and nothing is done. If none does, `results` is empty. A server whose labels are changed meanwhile is left out if they no longer satisfy the selector. An empty selector is refused, because it would select all servers.
             * @example env in (prod,test),!old
             */
            label_selector?: string;
            /** @description Whether to cut the power of the servers instead of shutting down their guests. Only for `stop`. The default is `false`. */
            force?: boolean;
            /** @description Whether to change nothing, and to return only which servers would accept the action. Other than most dry runs, it counts as an action in the rate limits, and not as a read. The default is `false`. */
            dry_run?: boolean;
        };
        /**
         * BulkAnswer
         * @description For which servers an action was accepted. Each of them has an operation of its own, to poll with `GET /v1/operations/{id}`.
         */
        BulkAnswer: {
            /**
             * @description For how many servers the action was accepted, as human-readable text.
             * @example The action stop was accepted for 2 of 3 servers.
             */
            message: string;
            /**
             * @description The number of servers for which the action was accepted, or would be.
             * @example 2
             */
            accepted: number;
            /**
             * @description The number of servers for which the action was refused, or would be.
             * @example 1
             */
            refused: number;
            /** @description The result for each server, in the order of `ids`, or by ID if a selector selected them. */
            results: components["schemas"]["BulkResult"][];
        };
        /**
         * BulkResult
         * @description What has become of the action for one server. `operation` is present if it was accepted, except in a dry run, and `problem` if it was refused.
         */
        BulkResult: {
            /**
             * @description The ID of the server.
             * @example 42
             */
            server_id: number;
            /**
             * @description Whether the action was accepted for the server, or would be in a dry run.
             * @example true
             */
            accepted: boolean;
            operation?: components["schemas"]["OperationOutcome"];
            problem?: components["schemas"]["Refusal"];
        };
        /**
         * CommandResult
         * @description The result of an initial command.
         */
        CommandResult: {
            /**
             * @description The position of the command in `initialCommands`, counted from 0.
             * @example 0
             */
            index: number;
            /**
             * @description The exit status of the command. 0 means success.
             * @example 0
             */
            exit_status: number;
            /**
             * @description How long the command ran, in milliseconds, rounded to ten. Null if a restart of the server interrupted it, or if it was run by a release of Berth that did not measure this.
             * @example 1340
             */
            duration_ms: number | null;
            /**
             * @description The last 4 KiB of what the command wrote to standard output and standard error. Null in lists; `GET /v1/operations/{id}` returns it. Also null once it was removed: `outputs_days` of the settings after the end of the operation, or earlier, the oldest first, if the outputs of the project exceed its quota `outputs`.
             * @example Setting up nginx ...
             */
            output: string | null;
            /**
             * @description Whether the output was removed. `output_note` says why.
             * @example false
             */
            output_expired: boolean;
            /**
             * @description Why the output was removed, as human-readable text. Null unless it was removed.
             * @example The output was removed at the end of its retention period.
             */
            output_note: string | null;
        };
        /**
         * Console
         * @description Where to open the console of a server.
         */
        Console: {
            /**
             * @description Where to open the console, with a WebSocket of the subprotocol `berth.console.v1`. The URL contains a ticket, so it is a secret: it can be used once, within 30 seconds.
             * @example wss://berth.example.com/v1/consoles/7oTqQhZkY1m0n3uJwXv5b8cD2eFgHiKlMnOpQrStUvW
             */
            url: string;
            /**
             * Format: date-time
             * @description When the ticket in the URL expires. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            expires_at: string;
        };
        /**
         * CurrentSession
         * @description The session of the request: the user who signed in, and their projects.
         */
        CurrentSession: {
            /** @description The user who signed in. */
            user: {
                /**
                 * @description The ID of the user.
                 * @example 2
                 */
                id: number;
                /**
                 * @description The email address of the user.
                 * @example ada@example.com
                 */
                email: string;
                /**
                 * @description The name of the user. It may be empty.
                 * @example Ada Lovelace
                 */
                name: string;
                /** @description Whether the user is an administrator, who may do everything in all projects. */
                is_admin: boolean;
                /** @description Whether the user has a password, with which they can sign in. */
                has_password: boolean;
            };
            /** @description The projects that the user is a member of, the oldest membership first. Requests without the header `Berth-Project` are about the first one. */
            projects: {
                /**
                 * @description The ID of the project.
                 * @example 1
                 */
                id: number;
                /**
                 * @description The name of the project.
                 * @example default
                 */
                name: string;
                /**
                 * @description The role of the member in the project. `viewer`: may read everything in it but its members. `member`: may also change servers. `owner`: may also read and manage the members.
                 * @example member
                 * @enum {string}
                 */
                role: "owner" | "member" | "viewer";
            }[];
            /**
             * @description The CSRF token of the session, to be sent in the header `Berth-CSRF` of each request that changes something.
             * @example 2f9d0c5be1
             */
            csrf_token: string;
            /**
             * Format: date-time
             * @description The time at which the session ends unless it is used before. Each use extends it to 12 hours, up to 30 days after the sign-in. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            expires_at: string;
        };
        /**
         * DeviceApproval
         * @description What the token of the program allows.
         */
        DeviceApproval: {
            /** @description The scopes of the token: what it allows. The caller must have each of them. */
            scopes: ("servers:read" | "servers:write" | "metrics:read" | "admin")[];
            /**
             * Format: date-time
             * @description The time at which the token expires. It cannot be later than the expiry of the token that makes the request, which is also the default. A token that is created in a session does not expire by default. Formatted as RFC 3339, in UTC or with an offset from it.
             * @example 2026-11-21T00:00:00Z
             * @example 2026-11-21T01:00:00+01:00
             */
            expires_at?: string;
            /** @description Up to 50 networks that requests with the token may come from. They must be within those of the token that makes the request, which are also the default. */
            allowed_networks?: string[];
        };
        /**
         * DeviceAuthorization
         * @description The codes with which a program gets a token from a person (RFC 8628).
         */
        DeviceAuthorization: {
            /**
             * @description The secret of the program, with which it gets the token. Nobody else may know it.
             * @example GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS3w
             */
            device_code: string;
            /**
             * @description The code that the person compares or enters. Upper and lower case, blanks and hyphens make no difference.
             * @example WDJB-MJHT
             */
            user_code: string;
            /**
             * @description The page at which a person enters `user_code` and approves.
             * @example https://berth.example/authorize
             */
            verification_url: string;
            /**
             * @description The same page with the code, to be opened in a browser.
             * @example https://berth.example/authorize?code=WDJB-MJHT
             */
            verification_url_complete: string;
            /**
             * Format: date-time
             * @description The time at which the codes expire: ten minutes after they were issued. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            expires_at: string;
            /**
             * @description The seconds between two requests of `POST /v1/device-authorizations/token`, at least.
             * @example 2
             */
            interval: number;
        };
        /**
         * DeviceAuthorizationCreate
         * @description The program that asks for a token.
         */
        DeviceAuthorizationCreate: {
            /**
             * @description What the person who approves is told about the program, such as the name of its machine. The token is called `berth on` and this name.
             * @example laptop
             */
            client_name: string;
        };
        /**
         * DeviceToken
         * @description The token that a person has approved.
         */
        DeviceToken: {
            /**
             * @description The ID of the token.
             * @example 3
             */
            token_id: number;
            /**
             * @description The secret of the token. This response is the only one that contains it.
             * @example berth_…
             */
            token: string;
        };
        /**
         * DeviceTokenRequest
         * @description The secret of the program that asks for a token.
         */
        DeviceTokenRequest: {
            /**
             * @description The `device_code` of `POST /v1/device-authorizations`.
             * @example GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS3w
             */
            device_code: string;
        };
        /**
         * Drift
         * @description A lasting difference between the records of Berth and an Incus, which somebody has made by hand.
         */
        Drift: {
            /**
             * @description The ID of the drift record.
             * @example 5
             */
            id: number;
            /**
             * @description The kind of drift. `changed`: somebody has changed the instance of a server in Incus. `missing_instance`: the instance of a server no longer exists. `unknown_instance`: an instance in the Incus project of the location belongs to no server. `foreign_instance`: an instance in another Incus project that `adopt_from` of the location names. It is no drift, so that it is not counted, and only listed on request.
             * @example changed
             * @enum {string}
             */
            kind: "changed" | "missing_instance" | "unknown_instance" | "foreign_instance";
            /**
             * @description The ID of the location.
             * @example 1
             */
            location_id: number;
            /**
             * @description The name of the location.
             * @example local
             */
            location: string;
            /**
             * @description The name of the node that the instance is on, or was on if it is missing. Null if it is not known.
             * @example node-1
             */
            node: string | null;
            /**
             * @description The name of the instance in Incus. For a server, it is the name that it should have.
             * @example srv-3f2504e0-4f89-41d3-9a0c-0305e82c3301
             */
            instance: string;
            /**
             * @description The Incus project of the instance if `kind` is `foreign_instance`. Null otherwise: it is that of the location.
             * @example default
             */
            incus_project: string | null;
            /**
             * @description The ID of the server. Null if the instance belongs to none.
             * @example 42
             */
            server_id: number | null;
            /**
             * @description The ID of the project of the server. Null if the instance belongs to none.
             * @example 1
             */
            project_id: number | null;
            /** @description What differs, ordered by `path`. */
            differences: {
                /**
                 * @description What differs, as in the instance in Incus: a key such as `config.limits.cpu` or `devices.eth0.ipv4.address`, a whole device such as `devices.eth1`, `ephemeral`, `profiles`, or `name`. It is `instance` if the instance is missing or unknown.
                 * @example config.limits.cpu
                 */
                path: string;
                /**
                 * @description The value according to the records. Null if there should be none.
                 * @example 2
                 */
                expected: string | null;
                /**
                 * @description The value in Incus, cut off after 256 characters. Null if there is none.
                 * @example 8
                 */
                found: string | null;
                /**
                 * Format: date-time
                 * @description The time at which this difference was first seen. Formatted as RFC 3339, in UTC.
                 * @example 2026-11-21T04:32:50.120000Z
                 */
                since: string;
            }[];
            /** @description What a server would have after `POST /v1/drift/{id}/adopt`. Null unless `kind` is `unknown_instance` or `foreign_instance`. */
            adoptable: {
                /**
                 * @description The number of CPU cores that the instance has in Incus. Null if it is not limited.
                 * @example 2
                 */
                cpu: number | null;
                /**
                 * @description The memory, in MiB, that the instance has in Incus. Null if it is not limited.
                 * @example 2048
                 */
                ram: number | null;
                /**
                 * @description The disk size, in GiB, rounded up, that the instance has in Incus. Null if it is not limited.
                 * @example 20
                 */
                disk: number | null;
                /**
                 * @description The IP addresses of the instance: those that its network interface is restricted to, or else those that its guest uses while it is running.
                 * @example [
                 *       "10.148.0.77"
                 *     ]
                 */
                ip_addresses: string[];
                /**
                 * @description Why the instance cannot be adopted as it is. Empty if it can be.
                 * @example []
                 */
                obstacles: string[];
            } | null;
            /**
             * Format: date-time
             * @description The time at which the first of the differences was first seen. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            since: string;
            /**
             * @description Whether an administrator has accepted all of the differences as they are, with `POST /v1/drift/{id}/forget`.
             * @example false
             */
            forgotten: boolean;
        };
        /**
         * DriftAdopt
         * @description What the server of an adopted instance is to be like.
         */
        DriftAdopt: {
            /**
             * @description The operating system of the instance, which a rebuild of the server uses. List the operating systems with `GET /v1/operating-systems`. The value is the ID or `slug` of an operating system.
             * @example 1
             * @example debian-12
             */
            os_id: number | string;
            /**
             * @description The host name of the server (RFC 1123). It cannot be an IP address. If the project has `unique_names`, no other server of the project may have it. It cannot consist only of digits or have the form of a UUID, since both are read as IDs. The default is the name of the instance, unless that has the form of a UUID.
             * @example web-1
             */
            name?: string;
            /**
             * @description The number of CPU cores of the server. The default is what the instance has in Incus, see `adoptable`; it is required if that is null.
             * @example 2
             */
            cpu?: number;
            /**
             * @description The amount of memory, in MiB, of the server. The default is what the instance has in Incus, see `adoptable`; it is required if that is null.
             * @example 2048
             */
            ram?: number;
            /**
             * @description The disk size, in GiB, of the server. The default is what the instance has in Incus, see `adoptable`; it is required if that is null.
             * @example 20
             */
            disk?: number;
        };
        /**
         * DriftAdopted
         * @description The request was accepted, and an operation adopts the instance. It is done once `operation.status` is `succeeded`.
         */
        DriftAdopted: {
            /**
             * @description What was accepted, as human-readable text. With `Prefer: wait`: the message of the operation, which says what it is doing, why it is being retried, or how it ended.
             * @example The server is being started.
             */
            message: string;
            /**
             * @deprecated
             * @description Deprecated since 1.0.0-rc.1: use `operation.id`, which is the same ID.
             * @example 7
             */
            operation_id: number;
            operation: components["schemas"]["OperationOutcome"];
            /**
             * @description The ID of the server that the instance becomes.
             * @example 42
             */
            server_id: number;
        };
        /**
         * DriftId
         * @description The ID of a drift record, in digits.
         * @example 1
         */
        DriftId: string | number;
        /**
         * Event
         * @description A change of a server, an operation, a node or a webhook, or a traffic allowance that was reached.
         */
        Event: components["schemas"]["ServerCreatedEvent"] | components["schemas"]["ServerCreatingEvent"] | components["schemas"]["ServerStartedEvent"] | components["schemas"]["ServerStoppedEvent"] | components["schemas"]["ServerPausedEvent"] | components["schemas"]["ServerFailedEvent"] | components["schemas"]["ServerDeletingEvent"] | components["schemas"]["ServerDeletedEvent"] | components["schemas"]["ServerUpdatedEvent"] | components["schemas"]["OperationCreatedEvent"] | components["schemas"]["OperationProgressEvent"] | components["schemas"]["OperationEndedEvent"] | components["schemas"]["UsageAllowanceReachedEvent"] | components["schemas"]["WebhookPausedEvent"] | components["schemas"]["NodeOnlineEvent"] | components["schemas"]["NodeOfflineEvent"] | components["schemas"]["NodeEvacuatedEvent"] | components["schemas"]["NodeCordonedEvent"] | components["schemas"]["NodeGoneEvent"] | components["schemas"]["NodeLostEvent"];
        /**
         * FieldError
         * @description An invalid field of the body, or parameter of the query.
         */
        FieldError: {
            /**
             * @description The location of the invalid value in the body: a JSON pointer (RFC 6901). The name of an unknown field is cut if it is long, and its control characters are escaped. Present unless `parameter` is.
             * @example /cpu
             */
            pointer?: string;
            /**
             * @description The name of the invalid parameter of the query. Present unless `pointer` is.
             * @example limit
             */
            parameter?: string;
            /**
             * @description What the value must be.
             * @example Must be an integer from 1.
             */
            detail: string;
        };
        /**
         * Health
         * @description Whether the service can handle requests, and the state of each of its components.
         */
        Health: {
            /**
             * @description Whether the service can handle requests. It is `failing` if a check is; one reachable location is enough. It is `degraded` if the service can handle requests, but a check is `degraded`.
             * @example ok
             * @enum {string}
             */
            status: "ok" | "degraded" | "failing";
            /** @description The result of the check of each component. */
            checks: {
                /**
                 * @description The name of the component that was checked.
                 * @example database
                 */
                name: string;
                /**
                 * @description Whether the component works. It is `degraded` if something is missing that only some requests need.
                 * @example ok
                 * @enum {string}
                 */
                status: "ok" | "degraded" | "failing";
                /**
                 * @description Why the check has this status: `ok` (the component works), `instances_unknown` (it works, but instances in Incus belong to no server), `instances_not_compared` (it works, but accepts no new servers until the instances have been compared with a restored database), `database_unreachable` (the database does not answer), `database_read_only` (it accepts no changes), `disk_full` (nothing can be written), `incus_unreachable` (Incus does not answer), `incus_unusable` (Incus answers, but the service that watches the location cannot use it), `location_unwatched` (no service watches the location), `secrets_unreadable` (encrypted values cannot be read), `timeout` (the check was not done within 2 seconds), `stopping` (the service is stopping) or `failed` (any other failure, which the log shows).
                 * @example ok
                 * @enum {string}
                 */
                reason: "ok" | "instances_unknown" | "instances_not_compared" | "database_unreachable" | "database_read_only" | "disk_full" | "incus_unreachable" | "incus_unusable" | "location_unwatched" | "secrets_unreadable" | "timeout" | "stopping" | "failed";
                /**
                 * @description The result of the check, as human-readable text.
                 * @example It works.
                 */
                detail: string;
            }[];
        };
        /**
         * Image
         * @description The image of an operating system at a location.
         */
        Image: {
            /**
             * @description The ID of the operating system.
             * @example 2
             */
            os_id: number;
            /**
             * @description The ID of the location.
             * @example 1
             */
            location_id: number;
            /**
             * @description The state of the image. `wanted`: the import was requested and has not begun. `importing`: the image is being downloaded or built. `ready`: new servers at the location start from it without waiting. `failed`: the import failed, and `message` says why.
             * @example importing
             * @enum {string}
             */
            status: "wanted" | "importing" | "ready" | "failed";
            /**
             * @description How much of the import is done, in percent.
             * @example 40
             */
            progress: number;
            /**
             * @description What the import is doing, as human-readable text. If it failed, the reason.
             * @example downloading the image
             */
            message: string;
            /**
             * Format: date-time
             * @description The time at which the image was last requested. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            requested_at: string;
        };
        /**
         * ImageImport
         * @description The location to import the image to.
         */
        ImageImport: {
            /**
             * @description The location that is to have the image. The value is the ID or name of a location.
             * @example 1
             * @example local
             */
            location_id: number | string;
        };
        /**
         * Location
         * @description A place where servers run: an Incus server or cluster, called the engine of the location.
         */
        Location: {
            /**
             * @description The ID of the location.
             * @example 1
             */
            id: number;
            /**
             * @description The name of the location. It is unique.
             * @example local
             */
            name: string;
            /**
             * @description A human-readable description. It may be empty.
             * @example This machine
             */
            description: string;
            /** @description The sizes that a new server at this location can have; both bounds are inclusive. No maximum is larger than what the largest node has. An operating system may need more: see its `minimum`. */
            limits: {
                /** @description The minimum and maximum number of CPU cores of a server. */
                cpu: {
                    /**
                     * @description The minimum number of CPU cores of a server.
                     * @example 1
                     */
                    min: number;
                    /**
                     * @description The maximum number of CPU cores of a server.
                     * @example 16
                     */
                    max: number;
                };
                /** @description The minimum and maximum memory of a server, in MiB. */
                ram: {
                    /**
                     * @description The minimum memory of a server, in MiB.
                     * @example 128
                     */
                    min: number;
                    /**
                     * @description The maximum memory of a server, in MiB.
                     * @example 65536
                     */
                    max: number;
                };
                /** @description The minimum and maximum disk size of a server, in GiB. */
                disk: {
                    /**
                     * @description The minimum disk size of a server, in GiB.
                     * @example 1
                     */
                    min: number;
                    /**
                     * @description The maximum disk size of a server, in GiB.
                     * @example 500
                     */
                    max: number;
                };
            };
            /** @description The overcommit ratios: how many times the resources of a node can be allocated to its servers. */
            overcommit: {
                /**
                 * @description The overcommit ratio of CPU cores. With 16, a node with 4 cores has 64 to allocate.
                 * @example 16
                 */
                cpu: number;
                /**
                 * @description The overcommit ratio of memory. With 1, no more memory is allocated than the node has.
                 * @example 1
                 */
                ram: number;
                /**
                 * @description The overcommit ratio of disk space. With 4, a node with 500 GiB has 2000 GiB to allocate.
                 * @example 4
                 */
                disk: number;
            };
            /** @description Whether servers can be created at this location. */
            enabled: boolean;
            /** @description Whether the engine of this location can be reached at the moment. */
            reachable: boolean;
            /**
             * @description Why the engine cannot be reached. Only administrators are told the exact cause. Null while it can be.
             * @example The engine of this location cannot be used at the moment.
             */
            unreachable_reason: string | null;
            /**
             * @description The traffic allowance that new servers get, in bytes per calendar month (UTC). Null if they have no limit.
             * @example 1000000000000
             */
            traffic_allowance: number | null;
            /**
             * @description Which traffic counts towards the allowance: what servers send (`outgoing`), what they receive (`incoming`), or both.
             * @example outgoing
             * @enum {string}
             */
            traffic_counted: "outgoing" | "incoming" | "both";
            /**
             * @description What happens to a server that has used up its traffic allowance, until the next month begins (UTC). `none`: nothing happens. `throttle`: its bandwidth is limited to `traffic_throttle`. `stop`: it is stopped, and can be neither started nor restarted.
             * @example throttle
             * @enum {string}
             */
            traffic_policy: "none" | "throttle" | "stop";
            /**
             * @description The bandwidth in each direction to which the `traffic_policy` `throttle` limits a server, in Mbit/s. Null if no rate is set; the policy `throttle` requires one.
             * @example 10
             */
            traffic_throttle: number | null;
            /** @description The IDs of the operating systems that servers can be created with at this location. Null if all can be used. */
            os_ids: number[] | null;
            /**
             * @description The maximum number of servers that are created at the same time on one node. Further ones wait in a queue, in the order of their requests. Null stands for twice the number of cores of the node, but at least 4.
             * @example 8
             */
            creates_per_node: number | null;
            /** @description The networks that servers can connect to in addition to the Internet. Connections to all other private, link-local and reserved addresses, to nodes and to other servers are blocked. */
            allowed_destinations: string[];
            /**
             * @description Whether connections of servers to port 25 (SMTP) of hosts outside the location are `blocked` or `open`. Port 587 (mail submission) is always open.
             * @example blocked
             * @enum {string}
             */
            smtp: "blocked" | "open";
            /**
             * @description The number of drift records of this location that are not forgotten: see `GET /v1/drift`. Null unless an administrator asks.
             * @example 0
             */
            drift: number | null;
            /**
             * @description The other Incus projects of this engine whose instances are listed for adoption: see `GET /v1/drift?kind=foreign_instance`. Null unless an administrator asks.
             * @example [
             *       "default"
             *     ]
             */
            adopt_from: string[] | null;
            /** @description Whether the rules that `allowed_destinations` and `smtp` describe are in force in the network of this location. */
            network_policy: {
                /**
                 * @description Whether the rules are in force. `applied`: they are. `pending`: they are being applied, or could not be applied yet. `unavailable`: this kind of network does not support rules.
                 * @example applied
                 * @enum {string}
                 */
                status: "applied" | "pending" | "unavailable";
                /**
                 * @description Why the rules are not in force. Null if they are, or if the reason is not known.
                 * @example The engine did not answer in time.
                 */
                reason: string | null;
                /**
                 * Format: date-time
                 * @description The time of the last change of `status`. Formatted as RFC 3339, in UTC.
                 * @example 2026-11-21T04:32:50.120000Z
                 */
                since: string;
            };
        };
        /**
         * LocationReference
         * @description The ID or name of a location. Text of only digits is taken as the ID, and any other text as the name. If several objects have this name, the response is 409 `ambiguous_name`.
         * @example 1
         * @example local
         */
        LocationReference: string | number;
        /**
         * LocationUpdate
         * @description The fields to change. Fields that are omitted are not changed.
         */
        LocationUpdate: {
            /**
             * @description A human-readable description. It may be empty.
             * @example This machine
             */
            description?: string;
            /** @description The sizes that a new server at this location can have; both bounds are inclusive. Existing servers keep their size. */
            limits?: {
                /** @description The minimum and maximum number of CPU cores of a server. */
                cpu?: {
                    /**
                     * @description The minimum number of CPU cores of a server.
                     * @example 1
                     */
                    min?: number;
                    /**
                     * @description The maximum number of CPU cores of a server.
                     * @example 16
                     */
                    max?: number;
                };
                /** @description The minimum and maximum memory of a server, in MiB. */
                ram?: {
                    /**
                     * @description The minimum memory of a server, in MiB.
                     * @example 128
                     */
                    min?: number;
                    /**
                     * @description The maximum memory of a server, in MiB.
                     * @example 65536
                     */
                    max?: number;
                };
                /** @description The minimum and maximum disk size of a server, in GiB. */
                disk?: {
                    /**
                     * @description The minimum disk size of a server, in GiB.
                     * @example 1
                     */
                    min?: number;
                    /**
                     * @description The maximum disk size of a server, in GiB.
                     * @example 500
                     */
                    max?: number;
                };
            };
            /** @description The overcommit ratios: how many times the resources of a node can be allocated to its servers. Existing servers stay where they are. */
            overcommit?: {
                /**
                 * @description The overcommit ratio of CPU cores. With 16, a node with 4 cores has 64 to allocate.
                 * @example 16
                 */
                cpu?: number;
                /**
                 * @description The overcommit ratio of memory. With 1, no more memory is allocated than the node has.
                 * @example 1
                 */
                ram?: number;
                /**
                 * @description The overcommit ratio of disk space. With 4, a node with 500 GiB has 2000 GiB to allocate.
                 * @example 4
                 */
                disk?: number;
            };
            /** @description Whether servers can be created at this location. Existing servers are not affected. */
            enabled?: boolean;
            /**
             * @description The traffic allowance that new servers get, in bytes per calendar month (UTC). Null removes the limit.
             * @example 1000000000000
             */
            traffic_allowance?: number | null;
            /**
             * @description The operating systems that servers can be created with at this location. Null allows all of them.
             * @example [
             *       1,
             *       "debian-13"
             *     ]
             */
            os_ids?: (number | string)[] | null;
            /**
             * @description The maximum number of servers that are created at the same time on one node. Null sets it to twice the number of cores of the node, but at least 4. Creations in progress are not affected.
             * @example 8
             */
            creates_per_node?: number | null;
            /**
             * @description Which traffic counts towards the allowance: what servers send (`outgoing`), what they receive (`incoming`), or both.
             * @example outgoing
             * @enum {string}
             */
            traffic_counted?: "outgoing" | "incoming" | "both";
            /**
             * @description What happens to a server that has used up its traffic allowance, until the next month begins (UTC). `none`: nothing happens. `throttle`: its bandwidth is limited to `traffic_throttle`. `stop`: it is stopped, and can be neither started nor restarted.
             * @example throttle
             * @enum {string}
             */
            traffic_policy?: "none" | "throttle" | "stop";
            /** @description The networks that servers can connect to in addition to the Internet. A network that merely contains the addresses of nodes or the subnet of the servers does not open these: list the exact address or subnet to do that. */
            allowed_destinations?: string[];
            /**
             * @description Whether connections of servers to port 25 (SMTP) of hosts outside the location are `blocked` or `open`. Port 587 (mail submission) is always open.
             * @example blocked
             * @enum {string}
             */
            smtp?: "blocked" | "open";
            /**
             * @description The other Incus projects of this engine whose instances are listed for adoption, with `GET /v1/drift?kind=foreign_instance`, within a minute. They are only read until one is adopted.
             * @example [
             *       "default"
             *     ]
             */
            adopt_from?: string[];
            /**
             * @description The bandwidth in each direction to which the `traffic_policy` `throttle` limits a server, in Mbit/s. Null if no rate is set; the policy `throttle` requires one.
             * @example 10
             */
            traffic_throttle?: number | null;
        };
        /**
         * Member
         * @description The membership of a user in a project.
         */
        Member: {
            /**
             * @description The ID of the user.
             * @example 2
             */
            user_id: number;
            /**
             * @description The email address of the user.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The name of the user. It may be empty.
             * @example Ada Lovelace
             */
            name: string;
            /**
             * @description The role of the member in the project. `viewer`: may read everything in it but its members. `member`: may also change servers. `owner`: may also read and manage the members.
             * @example member
             * @enum {string}
             */
            role: "owner" | "member" | "viewer";
            /**
             * Format: date-time
             * @description The time at which the user became a member. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            since: string;
        };
        /**
         * MemberAdd
         * @description The user to add to the project, and their role.
         */
        MemberAdd: {
            /**
             * @description The email address of the user.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The role of the member in the project. `viewer`: may read everything in it but its members. `member`: may also change servers. `owner`: may also read and manage the members.
             * @example member
             * @enum {string}
             */
            role: "owner" | "member" | "viewer";
        };
        /**
         * MemberReference
         * @description The ID or email address of a member. Text of only digits is taken as the ID, and any other text as the email address.
         * @example 1
         * @example ada@example.com
         */
        MemberReference: string | number;
        /**
         * MemberUpdate
         * @description The new role of the member.
         */
        MemberUpdate: {
            /**
             * @description The role of the member in the project. `viewer`: may read everything in it but its members. `member`: may also change servers. `owner`: may also read and manage the members.
             * @example member
             * @enum {string}
             */
            role: "owner" | "member" | "viewer";
        };
        /**
         * NewToken
         * @description The new token, with its secret.
         */
        NewToken: {
            /**
             * @description The ID of the token.
             * @example 3
             */
            id: number;
            /**
             * @description The name of the token.
             * @example backup script
             */
            name: string;
            /**
             * @description The ID of the project that the token gives access to.
             * @example 1
             */
            project_id: number;
            /** @description The scopes of the token: what it allows. */
            scopes: ("servers:read" | "servers:write" | "metrics:read" | "admin")[];
            /**
             * @description The ID of the user that the token belongs to. It never allows more than the user may do. Null if it belongs to no user.
             * @example 2
             */
            user_id: number | null;
            /**
             * @description The ID of the token that this token was created with. If that one is revoked or expires, so does this one. Null if it was created in a session or on the command line.
             * @example 7
             */
            parent_id: number | null;
            /** @description The networks that requests with the token may come from. If the list is empty, they may come from everywhere. */
            allowed_networks: string[];
            /**
             * Format: date-time
             * @description The time at which the token expires. Null if it does not expire. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description The time of the last request with the token, accurate to a minute. Null if there was none. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description The time at which the token was created. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * @description The secret of the token. This response is the only one that contains it; Berth stores only its hash.
             * @example berth_…
             */
            token: string;
        };
        /**
         * NewWebhookSecret
         * @description The webhook with its new secret.
         */
        NewWebhookSecret: {
            /**
             * @description The ID of the webhook.
             * @example 4
             */
            id: number;
            /**
             * @description The name of the webhook.
             * @example deploy-bot
             */
            name: string;
            /**
             * @description The URL to which events are sent.
             * @example https://hooks.example.com/berth
             */
            url: string;
            /** @description The types of the events that are delivered. If the list is empty, events of all types are, including types that later releases add. */
            types: ("server.created" | "server.creating" | "server.started" | "server.stopped" | "server.paused" | "server.failed" | "server.deleting" | "server.deleted" | "server.updated" | "operation.created" | "operation.progress" | "operation.ended" | "usage.allowance_reached" | "webhook.paused")[];
            /**
             * @description Only events of servers whose labels at that time satisfy this selector are delivered. If it is empty, all are.
             * @example env=prod
             */
            label_selector: string;
            /** @description The names of the further headers of each delivery, whose values are secret. */
            header_names: string[];
            /** @description Whether events are to be delivered. */
            enabled: boolean;
            /**
             * @description The state of the webhook. `active`: events are delivered. `disabled`: `enabled` is `false`. `paused`: Berth has stopped delivering, and `paused_because` says why; `PATCH` with `enabled` as `true` resumes it. Events that happen while it is not active are not delivered, also not later.
             * @example active
             * @enum {string}
             */
            status: "active" | "disabled" | "paused";
            /**
             * @description Why the webhook was paused. `failing`: for 3 days, no attempt succeeded. `gone`: the receiver has responded with 410, which says that it is gone for good. Null unless it is paused.
             * @example failing
             * @enum {string|null}
             */
            paused_because: "failing" | "gone" | null;
            /**
             * Format: date-time
             * @description The time at which the webhook was paused. Null unless it is paused. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            paused_at: string | null;
            /**
             * Format: date-time
             * @description The time of the first failed attempt since the last success. Null if the last attempt succeeded, or if there was none. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description The time of the last successful attempt. Null if there was none. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            last_success_at: string | null;
            /**
             * Format: date-time
             * @description Until when deliveries are also signed with the former secret. Null if there is no such secret. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            former_secret_valid_until: string | null;
            /**
             * @description The ID of the project that the webhook belongs to.
             * @example 1
             */
            project_id: number;
            /**
             * Format: date-time
             * @description The time at which the webhook was created. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * @description The secret with which deliveries are signed, in the form of Standard Webhooks. No other response contains it.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            secret: string;
        };
        /**
         * Node
         * @description A machine that runs servers: a member of an Incus cluster, or a single Incus server.
         */
        Node: {
            /**
             * @description The ID of the node.
             * @example 1
             */
            id: number;
            /**
             * @description The host name of the node; in a cluster, the name of the member. It is unique within its location.
             * @example node-1
             */
            name: string;
            /**
             * @description The ID of the location that the node belongs to.
             * @example 1
             */
            location_id: number;
            /**
             * @description The name of the location that the node belongs to.
             * @example local
             */
            location: string;
            /**
             * @description The status of the node. `online`: it answers and accepts new servers. `offline`: it refuses connections, its cluster reports it as offline, its location cannot be reached, or it has not answered three health checks in a row. `evacuated`: it was taken out of service in Incus. `cordoned`: it accepts no new servers, because an administrator cordoned it. `gone`: it is no longer a member of its cluster, and servers are still recorded on it. `lost`: an administrator has declared it lost.
             * @example online
             * @enum {string}
             */
            status: "online" | "offline" | "evacuated" | "cordoned" | "gone" | "lost";
            /**
             * @deprecated
             * @description Deprecated since 1.0.0-rc.1: use `status`, which has the same value.
             * @example online
             * @enum {string}
             */
            state: "online" | "offline" | "evacuated" | "cordoned" | "gone" | "lost";
            /**
             * Format: date-time
             * @description The time of the last change of `status`. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            status_since: string;
            /**
             * Format: date-time
             * @description The time since which the node has taken more than 3 seconds to answer. A slow node stays `online`. Null while it answers in time. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            slow_since: string | null;
            /**
             * @description Whether an administrator has cordoned the node, so that it accepts no new servers in any state.
             * @example false
             */
            cordoned: boolean;
            /**
             * @description The failure domain of the node, as configured in Incus. Nodes of one failure domain may fail together.
             * @example default
             */
            failure_domain: string;
            /**
             * @description The version of Incus on the node. Null until it has been read.
             * @example 6.0.4
             */
            incus_version: string | null;
            /**
             * @description Problems that an administrator should solve: known vulnerabilities of the installed release of Incus, and traffic limits that the kernel cannot enforce.
             * @example []
             */
            warnings: string[];
            /** @description Which traffic of servers the kernel of the node can limit. The traffic policy `throttle` depends on it. Berth tests each kernel once, and repeats a test that failed every hour. */
            traffic_limits: {
                /**
                 * @description Whether the kernel can limit the traffic that servers receive. Null until Berth has tried it.
                 * @example true
                 */
                incoming: boolean | null;
                /**
                 * @description Whether the kernel can limit the traffic that servers send. Null until Berth has tried it.
                 * @example true
                 */
                outgoing: boolean | null;
            };
            /** @description The resources of the node; the disk space is that of its storage pool. All are 0 until they have been read. */
            capacity: {
                /**
                 * @description The number of CPU cores.
                 * @example 16
                 */
                cpu: number;
                /**
                 * @description The amount of memory, in MiB.
                 * @example 65536
                 */
                ram: number;
                /**
                 * @description The amount of disk space, in GiB.
                 * @example 500
                 */
                disk: number;
            };
            /** @description The resources that its servers can have together: `capacity` times the `overcommit` of its location. One server gets no more than `capacity`. */
            allocatable: {
                /**
                 * @description The number of CPU cores.
                 * @example 256
                 */
                cpu: number;
                /**
                 * @description The amount of memory, in MiB.
                 * @example 65536
                 */
                ram: number;
                /**
                 * @description The amount of disk space, in GiB.
                 * @example 2000
                 */
                disk: number;
            };
            /** @description The resources that are allocated to the servers of the node, including stopped ones. */
            allocated: {
                /**
                 * @description The number of CPU cores.
                 * @example 12
                 */
                cpu: number;
                /**
                 * @description The amount of memory, in MiB.
                 * @example 16384
                 */
                ram: number;
                /**
                 * @description The amount of disk space, in GiB.
                 * @example 200
                 */
                disk: number;
            };
            /** @description The resources that are in use: CPU cores by its servers, memory and disk space by everything on the node. */
            used: {
                /**
                 * @description The number of CPU cores.
                 * @example 1.25
                 */
                cpu: number;
                /**
                 * @description The amount of memory, in MiB.
                 * @example 9000
                 */
                ram: number;
                /**
                 * @description The amount of disk space, in GiB.
                 * @example 42.5
                 */
                disk: number;
            };
            /**
             * @description The number of servers on the node.
             * @example 8
             */
            servers: number;
            /**
             * Format: date-time
             * @description The time at which the status and the figures of the node were last read. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            updated_at: string;
        };
        /**
         * NodeCordonedEvent
         * @description A node gets no new servers. Only administrators get it.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "node.cordoned",
         *       "project_id": null,
         *       "server_id": null,
         *       "data": {
         *         "node": {
         *           "id": 1,
         *           "name": "node-1",
         *           "location_id": 1,
         *           "status": "cordoned"
         *         }
         *       }
         *     }
         */
        NodeCordonedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. A node gets no new servers. Only administrators get it.
             * @example node.cordoned
             * @enum {string}
             */
            type: "node.cordoned";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The node as it was after the change. */
                node: {
                    /**
                     * @description The ID of the node.
                     * @example 1
                     */
                    id: number;
                    /**
                     * @description The name of the node.
                     * @example node-1
                     */
                    name: string;
                    /**
                     * @description The ID of the location of the node.
                     * @example 1
                     */
                    location_id: number;
                    /**
                     * @description The state of the node, as `status` of `GET /v1/nodes/{name}`.
                     * @example offline
                     * @enum {string}
                     */
                    status: "online" | "offline" | "evacuated" | "cordoned" | "gone" | "lost";
                };
            };
        };
        /**
         * NodeDeclareLost
         * @description The confirmation that the node is lost.
         */
        NodeDeclareLost: {
            /**
             * @description The name of the node once more, as a confirmation that its servers and their disks are given up.
             * @example node-1
             */
            confirm: string;
        };
        /**
         * NodeEvacuatedEvent
         * @description A node was evacuated. Only administrators get it.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "node.evacuated",
         *       "project_id": null,
         *       "server_id": null,
         *       "data": {
         *         "node": {
         *           "id": 1,
         *           "name": "node-1",
         *           "location_id": 1,
         *           "status": "evacuated"
         *         }
         *       }
         *     }
         */
        NodeEvacuatedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. A node was evacuated. Only administrators get it.
             * @example node.evacuated
             * @enum {string}
             */
            type: "node.evacuated";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The node as it was after the change. */
                node: {
                    /**
                     * @description The ID of the node.
                     * @example 1
                     */
                    id: number;
                    /**
                     * @description The name of the node.
                     * @example node-1
                     */
                    name: string;
                    /**
                     * @description The ID of the location of the node.
                     * @example 1
                     */
                    location_id: number;
                    /**
                     * @description The state of the node, as `status` of `GET /v1/nodes/{name}`.
                     * @example offline
                     * @enum {string}
                     */
                    status: "online" | "offline" | "evacuated" | "cordoned" | "gone" | "lost";
                };
            };
        };
        /**
         * NodeGoneEvent
         * @description A node is no longer a member of its cluster. Only administrators get it.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "node.gone",
         *       "project_id": null,
         *       "server_id": null,
         *       "data": {
         *         "node": {
         *           "id": 1,
         *           "name": "node-1",
         *           "location_id": 1,
         *           "status": "gone"
         *         }
         *       }
         *     }
         */
        NodeGoneEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. A node is no longer a member of its cluster. Only administrators get it.
             * @example node.gone
             * @enum {string}
             */
            type: "node.gone";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The node as it was after the change. */
                node: {
                    /**
                     * @description The ID of the node.
                     * @example 1
                     */
                    id: number;
                    /**
                     * @description The name of the node.
                     * @example node-1
                     */
                    name: string;
                    /**
                     * @description The ID of the location of the node.
                     * @example 1
                     */
                    location_id: number;
                    /**
                     * @description The state of the node, as `status` of `GET /v1/nodes/{name}`.
                     * @example offline
                     * @enum {string}
                     */
                    status: "online" | "offline" | "evacuated" | "cordoned" | "gone" | "lost";
                };
            };
        };
        /**
         * NodeLostEvent
         * @description A node was declared lost. Only administrators get it.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "node.lost",
         *       "project_id": null,
         *       "server_id": null,
         *       "data": {
         *         "node": {
         *           "id": 1,
         *           "name": "node-1",
         *           "location_id": 1,
         *           "status": "lost"
         *         }
         *       }
         *     }
         */
        NodeLostEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. A node was declared lost. Only administrators get it.
             * @example node.lost
             * @enum {string}
             */
            type: "node.lost";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The node as it was after the change. */
                node: {
                    /**
                     * @description The ID of the node.
                     * @example 1
                     */
                    id: number;
                    /**
                     * @description The name of the node.
                     * @example node-1
                     */
                    name: string;
                    /**
                     * @description The ID of the location of the node.
                     * @example 1
                     */
                    location_id: number;
                    /**
                     * @description The state of the node, as `status` of `GET /v1/nodes/{name}`.
                     * @example offline
                     * @enum {string}
                     */
                    status: "online" | "offline" | "evacuated" | "cordoned" | "gone" | "lost";
                };
            };
        };
        /**
         * NodeOfflineEvent
         * @description A node, or its location, does not answer. Only administrators get it.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "node.offline",
         *       "project_id": null,
         *       "server_id": null,
         *       "data": {
         *         "node": {
         *           "id": 1,
         *           "name": "node-1",
         *           "location_id": 1,
         *           "status": "offline"
         *         }
         *       }
         *     }
         */
        NodeOfflineEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. A node, or its location, does not answer. Only administrators get it.
             * @example node.offline
             * @enum {string}
             */
            type: "node.offline";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The node as it was after the change. */
                node: {
                    /**
                     * @description The ID of the node.
                     * @example 1
                     */
                    id: number;
                    /**
                     * @description The name of the node.
                     * @example node-1
                     */
                    name: string;
                    /**
                     * @description The ID of the location of the node.
                     * @example 1
                     */
                    location_id: number;
                    /**
                     * @description The state of the node, as `status` of `GET /v1/nodes/{name}`.
                     * @example offline
                     * @enum {string}
                     */
                    status: "online" | "offline" | "evacuated" | "cordoned" | "gone" | "lost";
                };
            };
        };
        /**
         * NodeOnlineEvent
         * @description A node was added, or is available again. Only administrators get it.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "node.online",
         *       "project_id": null,
         *       "server_id": null,
         *       "data": {
         *         "node": {
         *           "id": 1,
         *           "name": "node-1",
         *           "location_id": 1,
         *           "status": "online"
         *         }
         *       }
         *     }
         */
        NodeOnlineEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. A node was added, or is available again. Only administrators get it.
             * @example node.online
             * @enum {string}
             */
            type: "node.online";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The node as it was after the change. */
                node: {
                    /**
                     * @description The ID of the node.
                     * @example 1
                     */
                    id: number;
                    /**
                     * @description The name of the node.
                     * @example node-1
                     */
                    name: string;
                    /**
                     * @description The ID of the location of the node.
                     * @example 1
                     */
                    location_id: number;
                    /**
                     * @description The state of the node, as `status` of `GET /v1/nodes/{name}`.
                     * @example offline
                     * @enum {string}
                     */
                    status: "online" | "offline" | "evacuated" | "cordoned" | "gone" | "lost";
                };
            };
        };
        /**
         * OidcBegin
         * @description A sign-in at the OpenID provider that was begun.
         */
        OidcBegin: {
            /**
             * @description The URL of the OpenID provider to send the browser to. It can be used within ten minutes.
             * @example https://id.example.com/authorize?client_id=berth
             */
            authorization_url: string;
        };
        /**
         * OperatingSystem
         * @description An operating system that servers can be created with.
         */
        OperatingSystem: {
            /**
             * @description The ID of the operating system.
             * @example 1
             */
            id: number;
            /**
             * @description The short name of the operating system. It is unique, and the same in all installations of Berth.
             * @example debian-12
             */
            slug: string;
            /**
             * @description The display name of the operating system.
             * @example Debian 12
             */
            name: string;
            /**
             * @description The version of the operating system.
             * @example 12
             */
            version: string;
            /**
             * @description Whether servers with this operating system are system containers or virtual machines.
             * @enum {string}
             */
            type: "container" | "virtual-machine";
            /**
             * @description The processor architecture of the image.
             * @example x86_64
             */
            architecture: string;
            /** @description The smallest size of a server with this operating system. */
            minimum: {
                /**
                 * @description The minimum memory of a server, in MiB.
                 * @example 256
                 */
                ram: number;
                /**
                 * @description The minimum disk size of a server, in GiB.
                 * @example 2
                 */
                disk: number;
            };
            /** @description Whether servers can be created with this operating system. */
            enabled: boolean;
        };
        /**
         * OperatingSystemCreate
         * @description The operating system to add.
         */
        OperatingSystemCreate: {
            /**
             * @description The short name of the operating system. It must be unique. It cannot consist only of digits or have the form of a UUID, since both are read as IDs.
             * @example fedora-43
             */
            slug: string;
            /**
             * @description The name of the operating system, without its version.
             * @example Fedora
             */
            name: string;
            /**
             * @description The version of the operating system.
             * @example 43
             */
            version: string;
            /**
             * @description Whether servers with this operating system are system containers or virtual machines. Only `container` is accepted at present.
             * @example container
             * @enum {string}
             */
            type: "container" | "virtual-machine";
            /** @description The source of the image, which is downloaded when a server first needs it. */
            source: {
                /**
                 * @description The URL of an image server with the simplestreams protocol. It must be among the image servers that the operator of the installation allows.
                 * @example https://images.linuxcontainers.org
                 */
                server: string;
                /**
                 * @description The alias of the image on the image server. The image must contain cloud-init.
                 * @example fedora/43/cloud
                 */
                alias: string;
            };
            /** @description The smallest size of a server with this operating system. */
            minimum: {
                /**
                 * @description The minimum memory of a server, in MiB.
                 * @example 256
                 */
                ram: number;
                /**
                 * @description The minimum disk size of a server, in GiB.
                 * @example 2
                 */
                disk: number;
            };
            /** @description Whether servers can be created with this operating system. Existing servers are not affected. The default for a new operating system is `true`. */
            enabled?: boolean;
        };
        /**
         * OperatingSystemReference
         * @description The ID or `slug` of an operating system. Text of only digits is taken as the ID, and any other text as the `slug`.
         * @example 1
         * @example debian-12
         */
        OperatingSystemReference: string | number;
        /**
         * OperatingSystemUpdate
         * @description The fields to change. Fields that are omitted are not changed.
         */
        OperatingSystemUpdate: {
            /** @description The smallest size of a server with this operating system. */
            minimum?: {
                /**
                 * @description The minimum memory of a server, in MiB.
                 * @example 256
                 */
                ram: number;
                /**
                 * @description The minimum disk size of a server, in GiB.
                 * @example 2
                 */
                disk: number;
            };
            /** @description Whether servers can be created with this operating system. Existing servers are not affected. The default for a new operating system is `true`. */
            enabled?: boolean;
        };
        /**
         * Operation
         * @description A change to a server or a node that takes time: what was requested, its progress and its outcome.
         */
        Operation: {
            /**
             * @description The ID of the operation.
             * @example 7
             */
            id: number;
            /**
             * @description What the operation does to the server, or to the node. A retry and a rebuild are operations of the kind `create`.
             * @example create
             * @enum {string}
             */
            kind: "create" | "start" | "stop" | "restart" | "pause" | "unpause" | "set_password" | "resize" | "delete" | "suspend" | "unsuspend" | "move" | "rename" | "repair" | "adopt" | "evacuate" | "restore" | "declare_lost";
            /**
             * @description The ID of the server, even if it no longer exists. Null for an operation on a node.
             * @example 42
             */
            server_id: number | null;
            /**
             * @description The state of the operation. `pending`: it waits to be run. `running`: it is being run. `succeeded`: it is done. `failed`: it ended with an error. `superseded`: another operation, such as a delete, took its place before it ended. `cancelled`: a request ended it before it had an effect. The last four are final.
             * @example running
             * @enum {string}
             */
            status: "pending" | "running" | "succeeded" | "failed" | "superseded" | "cancelled";
            /**
             * @description Whether the operation could be cancelled now with `POST /v1/operations/{id}/cancel`. It may take effect before such a request arrives, which is then refused. While it waits for a node that does not answer, this can be `false` for moments. It is `false` for a creation whose server is protected against its deletion: such a request is refused with `protected`.
             * @example false
             */
            cancellable: boolean;
            /**
             * @description The name of the current step, or of the last one. The names may change between releases.
             * @example initialise
             */
            step: string;
            /**
             * @description How much of the work is done, in percent. It never decreases.
             * @example 80
             */
            progress: number;
            /**
             * @description What the operation is doing, or how it ended, as human-readable text.
             * @example Creating the server: running command 2 of 3
             */
            message: string;
            /** @description Why the operation failed. Null unless it failed. */
            error: {
                /**
                 * @description The code of the error, for programs. `/docs/errors` explains each code.
                 * @example guest_ignored_shutdown
                 */
                code: string;
                /**
                 * @description What failed and what to do about it, as human-readable text.
                 * @example The guest did not shut down within 60 seconds.
                 */
                detail: string;
                /**
                 * @deprecated
                 * @description Deprecated since 1.0.0-rc.1: use `detail`, which is the same text.
                 * @example The guest did not shut down within 60 seconds.
                 */
                message: string;
            } | null;
            /** @description The results of the initial commands that have ended, in order. Null unless `kind` is `create`. */
            commands: components["schemas"]["CommandResult"][] | null;
            /** @description What cloud-init says of the `user_data` of a create or a rebuild. Null without user data, before the guest is started, and until cloud-init has ended or the operation has failed. */
            user_data: {
                /**
                 * @description How cloud-init ended. `done`: it reports no errors. `degraded`: it reports warnings, such as about what is invalid and was left out. `error`: a part failed, such as a script or a package. `running`: it has not ended within two hours, or has held up the boot until the operation failed, and continues. `unknown`: it did not run, or did not say how it ended.
                 * @example error
                 * @enum {string}
                 */
                status: "done" | "degraded" | "error" | "running" | "unknown";
                /** @description Up to 20 errors and warnings that cloud-init reports, such as those of its schema. Words that are neither its own nor names of fields are replaced by `…`, because they may be secret. `/var/log/cloud-init.log` of the server has all words, and `/var/log/cloud-init-output.log` the output of scripts. */
                errors: string[];
            } | null;
            /** @description How the node of the server was chosen. Null if the operation did not choose one. */
            placement: {
                /**
                 * @description The node that was chosen.
                 * @example node-1
                 */
                node: string;
                /**
                 * @description Why this node was chosen, as human-readable text.
                 * @example The best of 3 nodes with room: 12288 MiB of memory, 300 GiB of disk and 60 cores free.
                 */
                reason: string;
                /**
                 * @description The number of nodes that the location had.
                 * @example 5
                 */
                nodes: number;
                /**
                 * @description How many nodes could not be chosen, by the reason. A node counts for the first reason that applies to it; reasons that apply to no node are omitted.
                 * @example {
                 *       "offline": 1,
                 *       "ram": 1
                 *     }
                 */
                excluded: {
                    /**
                     * @description The number of nodes excluded because the server is on them already.
                     * @example 1
                     */
                    current?: number;
                    /**
                     * @description The number of nodes excluded because they did not answer.
                     * @example 1
                     */
                    offline?: number;
                    /**
                     * @description The number of nodes excluded because they were evacuated.
                     * @example 1
                     */
                    evacuated?: number;
                    /**
                     * @description The number of nodes excluded because they were cordoned.
                     * @example 1
                     */
                    cordoned?: number;
                    /**
                     * @description The number of nodes excluded because they did not have enough free memory.
                     * @example 1
                     */
                    ram?: number;
                    /**
                     * @description The number of nodes excluded because they did not have enough free disk space.
                     * @example 1
                     */
                    disk?: number;
                    /**
                     * @description The number of nodes excluded because they did not have enough free CPU cores.
                     * @example 1
                     */
                    cpu?: number;
                };
                /** @description The three next best nodes that could have been chosen, and why they were not. Null unless an administrator asks. */
                others: {
                    /**
                     * @description The name of the node.
                     * @example node-2
                     */
                    node: string;
                    /**
                     * @description Why this node was not chosen, as human-readable text.
                     * @example less memory free: 8192 MiB
                     */
                    reason: string;
                }[] | null;
            } | null;
            /**
             * @description The name of the node. Null for an operation on a server.
             * @example node-1
             */
            node: string | null;
            /** @description The servers that the operation moves, and the state of each move. Null for an operation on a server. */
            servers: {
                /**
                 * @description The ID of the server.
                 * @example 42
                 */
                id: number;
                /**
                 * @description The host name of the server.
                 * @example web-1
                 */
                hostname: string;
                /**
                 * @description The status of the move. `waiting`: it has not begun. `moving`: it is in progress. `moved`: the server is on another node. `failed`: the server stays where it is; `reason` says why. `deleted`: the server was deleted meanwhile.
                 * @example moved
                 * @enum {string}
                 */
                status: "waiting" | "moving" | "moved" | "failed" | "deleted";
                /**
                 * @deprecated
                 * @description Deprecated since 1.0.0-rc.1: use `status`, which has the same value.
                 * @example moved
                 * @enum {string}
                 */
                state: "waiting" | "moving" | "moved" | "failed" | "deleted";
                /**
                 * @description The name of the node that the server is on, or is being moved to.
                 * @example node-2
                 */
                node: string;
                /**
                 * @description Why the server could not be moved. Null unless `status` is `failed`.
                 * @example No other node has enough free memory.
                 */
                reason: string | null;
                /**
                 * @description The ID of the operation that moves the server. Null until the move begins.
                 * @example 8
                 */
                operation_id: number | null;
            }[] | null;
            /**
             * Format: date-time
             * @description The time at which the operation was requested. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The time at which work on the operation began. Null until then. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description The time at which the operation ended. Null until then. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            finished_at: string | null;
        };
        /**
         * OperationCreatedEvent
         * @description An operation was requested.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "operation.created",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "operation": {
         *           "id": 7,
         *           "kind": "create",
         *           "server_id": 42,
         *           "node_id": null,
         *           "status": "pending",
         *           "progress": 0,
         *           "message": "Creating the server",
         *           "error": null
         *         }
         *       }
         *     }
         */
        OperationCreatedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. An operation was requested.
             * @example operation.created
             * @enum {string}
             */
            type: "operation.created";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The operation as it was after the change. */
                operation: {
                    /**
                     * @description The ID of the operation.
                     * @example 7
                     */
                    id: number;
                    /**
                     * @description What the operation does to the server, or to the node.
                     * @example create
                     * @enum {string}
                     */
                    kind: "create" | "start" | "stop" | "restart" | "pause" | "unpause" | "set_password" | "resize" | "delete" | "suspend" | "unsuspend" | "move" | "rename" | "repair" | "adopt" | "evacuate" | "restore" | "declare_lost";
                    /**
                     * @description The ID of the server. Null for an operation on a node.
                     * @example 42
                     */
                    server_id: number | null;
                    /**
                     * @description The ID of the node. Null for an operation on a server.
                     * @example 1
                     */
                    node_id: number | null;
                    /**
                     * @description The state of the operation, as `status` of `GET /v1/operations/{id}`.
                     * @example running
                     * @enum {string}
                     */
                    status: "pending" | "running" | "succeeded" | "failed" | "superseded" | "cancelled";
                    /**
                     * @description How much of the work is done, in percent.
                     * @example 80
                     */
                    progress: number;
                    /**
                     * @description What the operation is doing, or how it ended, as human-readable text.
                     * @example Creating the server: running command 2 of 3
                     */
                    message: string;
                    /** @description Why the operation failed. Null unless it failed. */
                    error: {
                        /**
                         * @description The code of the error, for programs. `/docs/errors` explains each code.
                         * @example guest_ignored_shutdown
                         */
                        code: string;
                        /**
                         * @description What failed and what to do about it, as human-readable text.
                         * @example The guest did not shut down within 60 seconds.
                         */
                        detail: string;
                    } | null;
                };
            };
        };
        /**
         * OperationEndedEvent
         * @description The operation ended: it succeeded, failed, or was superseded or cancelled.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "operation.ended",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "operation": {
         *           "id": 7,
         *           "kind": "create",
         *           "server_id": 42,
         *           "node_id": null,
         *           "status": "succeeded",
         *           "progress": 100,
         *           "message": "The server was created.",
         *           "error": null
         *         }
         *       }
         *     }
         */
        OperationEndedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. The operation ended: it succeeded, failed, or was superseded or cancelled.
             * @example operation.ended
             * @enum {string}
             */
            type: "operation.ended";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The operation as it was after the change. */
                operation: {
                    /**
                     * @description The ID of the operation.
                     * @example 7
                     */
                    id: number;
                    /**
                     * @description What the operation does to the server, or to the node.
                     * @example create
                     * @enum {string}
                     */
                    kind: "create" | "start" | "stop" | "restart" | "pause" | "unpause" | "set_password" | "resize" | "delete" | "suspend" | "unsuspend" | "move" | "rename" | "repair" | "adopt" | "evacuate" | "restore" | "declare_lost";
                    /**
                     * @description The ID of the server. Null for an operation on a node.
                     * @example 42
                     */
                    server_id: number | null;
                    /**
                     * @description The ID of the node. Null for an operation on a server.
                     * @example 1
                     */
                    node_id: number | null;
                    /**
                     * @description The state of the operation, as `status` of `GET /v1/operations/{id}`.
                     * @example running
                     * @enum {string}
                     */
                    status: "pending" | "running" | "succeeded" | "failed" | "superseded" | "cancelled";
                    /**
                     * @description How much of the work is done, in percent.
                     * @example 80
                     */
                    progress: number;
                    /**
                     * @description What the operation is doing, or how it ended, as human-readable text.
                     * @example Creating the server: running command 2 of 3
                     */
                    message: string;
                    /** @description Why the operation failed. Null unless it failed. */
                    error: {
                        /**
                         * @description The code of the error, for programs. `/docs/errors` explains each code.
                         * @example guest_ignored_shutdown
                         */
                        code: string;
                        /**
                         * @description What failed and what to do about it, as human-readable text.
                         * @example The guest did not shut down within 60 seconds.
                         */
                        detail: string;
                    } | null;
                };
            };
        };
        /**
         * OperationId
         * @description The ID of an operation, in digits.
         * @example 1
         */
        OperationId: string | number;
        /**
         * OperationOutcome
         * @description The operation that carries out a request, and its outcome so far.
         */
        OperationOutcome: {
            /**
             * @description The ID of the operation. `GET /v1/operations/{id}` returns all of its fields.
             * @example 7
             */
            id: number;
            /**
             * @description The state of the operation. `pending`: it waits to be run. `running`: it is being run. `succeeded`: it is done. `failed`: it ended with an error. `superseded`: another operation, such as a delete, took its place before it ended. `cancelled`: a request ended it before it had an effect. The last four are final.
             * @example running
             * @enum {string}
             */
            status: "pending" | "running" | "succeeded" | "failed" | "superseded" | "cancelled";
            /** @description Why the operation failed. Null unless it failed. */
            error: {
                /**
                 * @description The code of the error, for programs. `/docs/errors` explains each code.
                 * @example guest_ignored_shutdown
                 */
                code: string;
                /**
                 * @description What failed and what to do about it, as human-readable text.
                 * @example The guest did not shut down within 60 seconds.
                 */
                detail: string;
            } | null;
        };
        /**
         * OperationProgressEvent
         * @description The operation began, went on, waits or is retried. The end of a wait is told with the next message or progress.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "operation.progress",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "operation": {
         *           "id": 7,
         *           "kind": "create",
         *           "server_id": 42,
         *           "node_id": null,
         *           "status": "running",
         *           "progress": 80,
         *           "message": "Creating the server: running command 2 of 3",
         *           "error": null
         *         }
         *       }
         *     }
         */
        OperationProgressEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. The operation began, went on, waits or is retried. The end of a wait is told with the next message or progress.
             * @example operation.progress
             * @enum {string}
             */
            type: "operation.progress";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The operation as it was after the change. */
                operation: {
                    /**
                     * @description The ID of the operation.
                     * @example 7
                     */
                    id: number;
                    /**
                     * @description What the operation does to the server, or to the node.
                     * @example create
                     * @enum {string}
                     */
                    kind: "create" | "start" | "stop" | "restart" | "pause" | "unpause" | "set_password" | "resize" | "delete" | "suspend" | "unsuspend" | "move" | "rename" | "repair" | "adopt" | "evacuate" | "restore" | "declare_lost";
                    /**
                     * @description The ID of the server. Null for an operation on a node.
                     * @example 42
                     */
                    server_id: number | null;
                    /**
                     * @description The ID of the node. Null for an operation on a server.
                     * @example 1
                     */
                    node_id: number | null;
                    /**
                     * @description The state of the operation, as `status` of `GET /v1/operations/{id}`.
                     * @example running
                     * @enum {string}
                     */
                    status: "pending" | "running" | "succeeded" | "failed" | "superseded" | "cancelled";
                    /**
                     * @description How much of the work is done, in percent.
                     * @example 80
                     */
                    progress: number;
                    /**
                     * @description What the operation is doing, or how it ended, as human-readable text.
                     * @example Creating the server: running command 2 of 3
                     */
                    message: string;
                    /** @description Why the operation failed. Null unless it failed. */
                    error: {
                        /**
                         * @description The code of the error, for programs. `/docs/errors` explains each code.
                         * @example guest_ignored_shutdown
                         */
                        code: string;
                        /**
                         * @description What failed and what to do about it, as human-readable text.
                         * @example The guest did not shut down within 60 seconds.
                         */
                        detail: string;
                    } | null;
                };
            };
        };
        /**
         * Passkey
         * @description A passkey (WebAuthn) that a user signs in with.
         */
        Passkey: {
            /**
             * @description The ID of the passkey.
             * @example 4
             */
            id: number;
            /**
             * @description The name of the passkey.
             * @example Phone
             */
            name: string;
            /**
             * Format: date-time
             * @description The time at which the passkey was added. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The time of the last sign-in with the passkey. Null if there was none. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            last_used_at: string | null;
        };
        /**
         * PasskeyCreate
         * @description The passkey to add.
         */
        PasskeyCreate: {
            /**
             * @description The display name of the passkey.
             * @example Phone
             */
            name: string;
            /** @description The new credential, as `toJSON()` of the `PublicKeyCredential` returns it in the browser. */
            credential: {
                /**
                 * @description The ID of the credential, in base64url.
                 * @example dGhlLWNyZWRlbnRpYWw
                 */
                id: string;
                /**
                 * @description The ID of the credential, the same as `id`, in base64url.
                 * @example dGhlLWNyZWRlbnRpYWw
                 */
                rawId: string;
                /**
                 * @description The type of the credential.
                 * @enum {string}
                 */
                type: "public-key";
                /** @description The response of the authenticator. */
                response: {
                    /**
                     * @description The client data of the request, as JSON, in base64url.
                     * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
                     */
                    clientDataJSON: string;
                    /**
                     * @description The attestation object, with the public key, in base64url.
                     * @example o2NmbXRkbm9uZQ
                     */
                    attestationObject: string;
                    /** @description How the browser can reach the authenticator. */
                    transports?: string[];
                };
            };
        };
        /**
         * PasskeyCreation
         * @description The options of a new passkey, for `PublicKeyCredential.parseCreationOptionsFromJSON` in the browser.
         */
        PasskeyCreation: {
            /**
             * @description The challenge that the authenticator signs, in base64url. It can be used once, within ten minutes.
             * @example qk3gZ0y1pQ7cXJr9o2mT5w
             */
            challenge: string;
            /**
             * @description How long the browser waits for the user, in milliseconds.
             * @example 300000
             */
            timeout: number;
            /** @description The relying party: this installation of Berth. */
            rp: {
                /**
                 * @description The ID of the relying party: the host name of the installation.
                 * @example berth.example.com
                 */
                id: string;
                /**
                 * @description The display name of the relying party.
                 * @example Berth
                 */
                name: string;
            };
            /** @description The user that the passkey is for. */
            user: {
                /**
                 * @description The handle of the user, in base64url. It contains nothing about the person.
                 * @example dXNlci0y
                 */
                id: string;
                /**
                 * @description The email address of the user.
                 * @example ada@example.com
                 */
                name: string;
                /**
                 * @description The name of the user.
                 * @example Ada Lovelace
                 */
                displayName: string;
            };
            /** @description The accepted signature algorithms, in order of preference. */
            pubKeyCredParams: {
                /**
                 * @description The type of the credential.
                 * @example public-key
                 */
                type: string;
                /**
                 * @description The COSE identifier of a signature algorithm.
                 * @example -7
                 */
                alg: number;
            }[];
            /** @description The passkeys that the user has already. An authenticator that has one is refused. */
            excludeCredentials: {
                /**
                 * @description The ID of the credential, in base64url.
                 * @example dGhlLWNyZWRlbnRpYWw
                 */
                id: string;
                /**
                 * @description The type of the credential.
                 * @example public-key
                 */
                type: string;
                /** @description How the browser can reach the authenticator. */
                transports: string[];
            }[];
            /** @description What the authenticator has to support. */
            authenticatorSelection: {
                /**
                 * @description Whether the passkey has to be discoverable.
                 * @example required
                 */
                residentKey: string;
                /** @description Whether `residentKey` is `required`, for older browsers. */
                requireResidentKey: boolean;
                /**
                 * @description Whether the authenticator has to verify the user, such as by a PIN.
                 * @example required
                 */
                userVerification: string;
            };
            /**
             * @description Whether the authenticator has to prove its model (attestation).
             * @example none
             */
            attestation: string;
        };
        /**
         * PasskeyId
         * @description The ID of a passkey, in digits.
         * @example 1
         */
        PasskeyId: string | number;
        /**
         * PasskeyRequest
         * @description The options of a sign-in with a passkey, for `PublicKeyCredential.parseRequestOptionsFromJSON` in the browser.
         */
        PasskeyRequest: {
            /**
             * @description The challenge that the authenticator signs, in base64url. It can be used once, within ten minutes.
             * @example qk3gZ0y1pQ7cXJr9o2mT5w
             */
            challenge: string;
            /**
             * @description How long the browser waits for the user, in milliseconds.
             * @example 300000
             */
            timeout: number;
            /**
             * @description The ID of the relying party: the host name of the installation.
             * @example berth.example.com
             */
            rpId: string;
            /**
             * @description Whether the authenticator has to verify the user, such as by a PIN.
             * @example required
             */
            userVerification: string;
        };
        /**
         * PasskeySignIn
         * @description The credential that signed the challenge, as `toJSON()` of the `PublicKeyCredential` returns it in the browser.
         */
        PasskeySignIn: {
            /**
             * @description The ID of the credential, in base64url.
             * @example dGhlLWNyZWRlbnRpYWw
             */
            id: string;
            /**
             * @description The ID of the credential, the same as `id`, in base64url.
             * @example dGhlLWNyZWRlbnRpYWw
             */
            rawId: string;
            /**
             * @description The type of the credential.
             * @enum {string}
             */
            type: "public-key";
            /** @description The response of the authenticator. */
            response: {
                /**
                 * @description The client data of the request, as JSON, in base64url.
                 * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
                 */
                clientDataJSON: string;
                /**
                 * @description The data of the authenticator, in base64url.
                 * @example SZYN5YgOjGh0NBcPZHZgW4
                 */
                authenticatorData: string;
                /**
                 * @description The signature of the authenticator, in base64url.
                 * @example MEUCIQDZ7x2a
                 */
                signature: string;
                /**
                 * @description The handle of the user, in base64url.
                 * @example dXNlci0y
                 */
                userHandle?: string;
            };
        };
        /**
         * PasswordAccepted
         * @description The request was accepted, and an operation sets the password. It is set once `operation.status` is `succeeded`.
         */
        PasswordAccepted: {
            /**
             * @description What was accepted, as human-readable text. With `Prefer: wait`: the message of the operation, which says what it is doing, why it is being retried, or how it ended.
             * @example The server is being started.
             */
            message: string;
            /**
             * @deprecated
             * @description Deprecated since 1.0.0-rc.1: use `operation.id`, which is the same ID.
             * @example 7
             */
            operation_id: number;
            operation: components["schemas"]["OperationOutcome"];
            /**
             * @description The password that was generated. This response is the only one that contains it, and is repeated only for the same `Idempotency-Key`: for 24 hours, or until it turns out that the password was not set, another one is requested, or the server is deleted. Only present if the request had no `password`.
             * @example k3mwh8vx2qdc7tnreu5jb9fa
             */
            password?: string;
        };
        /**
         * PasswordChange
         * @description The current and the new password of the user.
         */
        PasswordChange: {
            /**
             * @description The current password of the user.
             * @example copper-lantern-Tuesday-otter
             */
            password: string;
            /**
             * @description The new password. Passwords that are easy to guess are refused; four unusual words make a good password.
             * @example copper-lantern-Tuesday-otter
             */
            new_password: string;
        };
        /**
         * PendingAuthorization
         * @description A program that waits for a token, which nobody has approved or denied yet.
         */
        PendingAuthorization: {
            /**
             * @description What the person who approves is told about the program, such as the name of its machine. The token is called `berth on` and this name.
             * @example laptop
             */
            client_name: string;
            /**
             * @description The IP address from which the program has asked.
             * @example 203.0.113.7
             */
            address: string;
            /**
             * Format: date-time
             * @description The time at which the program has asked. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The time at which the codes expire: ten minutes after they were issued. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            expires_at: string;
        };
        /**
         * Problem
         * @description An error, in the format of RFC 9457. Some fields are present with some codes only.
         */
        Problem: {
            /**
             * @description A link to the explanation of this kind of error, relative to the API. Each `code` has its own.
             * @example /docs/errors#validation_failed
             */
            type: string;
            /**
             * @description A short name of the kind of error. It is always the same for a `code`.
             * @example Validation failed
             */
            title: string;
            /**
             * @description The HTTP status code.
             * @example 422
             */
            status: number;
            /**
             * @description What went wrong this time and what to do about it, as human-readable text.
             * @example /cpu: Must be an integer from 1.
             */
            detail: string;
            /**
             * @description The kind of error, for programs. `/docs/errors` explains each code.
             * @example validation_failed
             */
            code: string;
            /**
             * @description The ID of the request, as it appears in the logs. The header `X-Request-Id` has the same value.
             * @example 1c9f0d1e-52a4-4c35-a2a5-3f6f0f0b4f0a
             */
            request_id: string;
            /** @description The operation that the problem is about. If its `status` is `failed`, `superseded` or `cancelled`, it carried out this request, and `code` of the problem says why it ended. With the code `operation_in_progress` it is the operation that is still in progress and prevents this request. With `not_cancellable` and `operation_ended` it is the operation that cannot be cancelled. Other problems do not have this field. */
            operation?: {
                /**
                 * @description The ID of the operation. `GET /v1/operations/{id}` returns all of its fields.
                 * @example 7
                 */
                id: number;
                /**
                 * @description The state of the operation. `pending`: it waits to be run. `running`: it is being run. `succeeded`: it is done. `failed`: it ended with an error. `superseded`: another operation, such as a delete, took its place before it ended. `cancelled`: a request ended it before it had an effect. The last four are final.
                 * @example running
                 * @enum {string}
                 */
                status: "pending" | "running" | "succeeded" | "failed" | "superseded" | "cancelled";
                /** @description Why the operation failed. Null unless it failed. */
                error: {
                    /**
                     * @description The code of the error, for programs. `/docs/errors` explains each code.
                     * @example guest_ignored_shutdown
                     */
                    code: string;
                    /**
                     * @description What failed and what to do about it, as human-readable text.
                     * @example The guest did not shut down within 60 seconds.
                     */
                    detail: string;
                } | null;
                /**
                 * @description What the operation does.
                 * @example stop
                 */
                kind: string;
                /**
                 * @description The ID of the server. Null for an operation on a node.
                 * @example 42
                 */
                server_id: number | null;
                /**
                 * @description How much of the work was done, in percent.
                 * @example 40
                 */
                progress: number;
            };
            /** @description The invalid fields. Present where single values can be named, as with `validation_failed`. */
            errors?: components["schemas"]["FieldError"][];
            /** @description The objects that have the name. Present with the code `ambiguous_name`. */
            candidates?: {
                /**
                 * @description The ID of the object.
                 * @example 42
                 */
                id: number;
                /**
                 * @description The name of the object.
                 * @example web-1
                 */
                name: string;
                /**
                 * @description The UUID of the object. Present for servers.
                 * @example 0b0f4c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                uuid?: string;
                /**
                 * @description The name of the location. Present for nodes.
                 * @example fra1
                 */
                location?: string;
            }[];
            /**
             * @description The first quota of the project that is exceeded. Present, with `limit`, `used` and `asked`, with the code `quota_exceeded` of a request for servers.
             * @example ram
             * @enum {string}
             */
            quota?: "servers" | "cpu" | "ram" | "disk" | "addresses";
            /**
             * @description The limit of the quota, in its unit.
             * @example 8192
             */
            limit?: number;
            /**
             * @description How much of the quota the servers of the project hold.
             * @example 7680
             */
            used?: number;
            /**
             * @description How much of the quota the request asks for.
             * @example 1024
             */
            asked?: number;
            /**
             * @description The resources of which the nodes do not have enough. Present, with `nodes` and `excluded`, with the code `no_capacity`.
             * @example [
             *       "ram"
             *     ]
             */
            lacking?: ("ram" | "disk" | "cpu")[];
            /**
             * @description The number of nodes that were considered.
             * @example 5
             */
            nodes?: number;
            /**
             * @description How many nodes could not be chosen, by the reason. A node counts for the first reason that applies to it; reasons that apply to no node are omitted.
             * @example {
             *       "offline": 1,
             *       "ram": 1
             *     }
             */
            excluded?: {
                /**
                 * @description The number of nodes excluded because the server is on them already.
                 * @example 1
                 */
                current?: number;
                /**
                 * @description The number of nodes excluded because they did not answer.
                 * @example 1
                 */
                offline?: number;
                /**
                 * @description The number of nodes excluded because they were evacuated.
                 * @example 1
                 */
                evacuated?: number;
                /**
                 * @description The number of nodes excluded because they were cordoned.
                 * @example 1
                 */
                cordoned?: number;
                /**
                 * @description The number of nodes excluded because they did not have enough free memory.
                 * @example 1
                 */
                ram?: number;
                /**
                 * @description The number of nodes excluded because they did not have enough free disk space.
                 * @example 1
                 */
                disk?: number;
                /**
                 * @description The number of nodes excluded because they did not have enough free CPU cores.
                 * @example 1
                 */
                cpu?: number;
            };
            /**
             * @description The password that was generated. Present if the request to set it failed in such a way that it may have been set nevertheless.
             * @example k3mwh8vx2qdc7tnreu5jb9fa
             */
            password?: string;
            /**
             * @deprecated
             * @description Deprecated since 1.0.0-rc.1: use `detail`, which is the same text.
             * @example /cpu: Must be an integer from 1.
             */
            message: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * Project
         * @description The owner of servers, tokens and their history. Projects are isolated from each other: no request with the token of one project shows anything of another.
         */
        Project: {
            /**
             * @description The ID of the project.
             * @example 1
             */
            id: number;
            /**
             * @description The name of the project.
             * @example default
             */
            name: string;
            /**
             * @description A human-readable description. It may be empty.
             * @example Servers of the web team
             */
            description: string;
            /**
             * @description Whether the names of the servers of the project must be unique. The comparison ignores case. A server that is being deleted keeps its name until it is gone.
             * @example true
             */
            unique_names: boolean;
            /**
             * @description Whether servers of the project can only be created with, and resized to, the sizes of `GET /v1/sizes`. Servers that have no such size keep theirs.
             * @example false
             */
            sizes_only: boolean;
            /** @description The limits for all servers of the project together. */
            quota: {
                /**
                 * @description The number of servers. Null if there is no limit.
                 * @example 10
                 */
                servers: number | null;
                /**
                 * @description The number of CPU cores of all servers together. Null if there is no limit.
                 * @example 16
                 */
                cpu: number | null;
                /**
                 * @description The memory of all servers together, in MiB. Null if there is no limit.
                 * @example 32768
                 */
                ram: number | null;
                /**
                 * @description The disk space of all servers together, in GiB. Null if there is no limit.
                 * @example 500
                 */
                disk: number | null;
                /**
                 * @description The number of IP addresses of all servers together. Null if there is no limit.
                 * @example 10
                 */
                addresses: number | null;
                /**
                 * @description The output of initial commands that is kept for all servers together, in MiB, as it is stored, compressed. Beyond the limit the oldest outputs are removed; no request is refused. The default for a new project is 16. Null if there is no limit.
                 * @example 16
                 */
                outputs: number | null;
            };
            /**
             * Format: date-time
             * @description The time at which the project was created. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The time at which the project was deleted. Null unless it was deleted. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            deleted_at: string | null;
        };
        /**
         * ProjectCreate
         * @description The project to create.
         */
        ProjectCreate: {
            /**
             * @description The name of the project. It must be unique; the comparison ignores case. It cannot consist only of digits or have the form of a UUID, since both are read as IDs.
             * @example web-team
             */
            name: string;
            /**
             * @description A human-readable description. The default is an empty text.
             * @example Servers of the web team
             */
            description?: string;
            /**
             * @description Whether the names of the servers of the project must be unique. The comparison ignores case. A server that is being deleted keeps its name until it is gone. The default for a new project is `true`.
             * @example true
             */
            unique_names?: boolean;
            /**
             * @description Whether servers of the project can only be created with, and resized to, the sizes of `GET /v1/sizes`. Servers that have no such size keep theirs. The default for a new project is `false`.
             * @example true
             */
            sizes_only?: boolean;
            /** @description The limits for all servers of the project together. A limit below the current usage prevents growth, and removes nothing, except for `outputs`. Limits that are omitted are not changed; a new project has only the limit `outputs`. */
            quota?: {
                /**
                 * @description The number of servers. Null if there is no limit.
                 * @example 10
                 */
                servers?: number | null;
                /**
                 * @description The number of CPU cores of all servers together. Null if there is no limit.
                 * @example 16
                 */
                cpu?: number | null;
                /**
                 * @description The memory of all servers together, in MiB. Null if there is no limit.
                 * @example 32768
                 */
                ram?: number | null;
                /**
                 * @description The disk space of all servers together, in GiB. Null if there is no limit.
                 * @example 500
                 */
                disk?: number | null;
                /**
                 * @description The number of IP addresses of all servers together. Null if there is no limit.
                 * @example 10
                 */
                addresses?: number | null;
                /**
                 * @description The output of initial commands that is kept for all servers together, in MiB, as it is stored, compressed. Beyond the limit the oldest outputs are removed; no request is refused. The default for a new project is 16. Null if there is no limit.
                 * @example 16
                 */
                outputs?: number | null;
            };
        };
        /**
         * ProjectQuota
         * @description The limits of a project, and how much of each is in use.
         */
        ProjectQuota: {
            /** @description The number of servers. */
            servers: {
                /**
                 * @description The limit. Null if there is none.
                 * @example 10
                 */
                limit: number | null;
                /**
                 * @description How much of it the servers of the project use now.
                 * @example 3
                 */
                used: number;
            };
            /** @description The number of CPU cores of all servers together. */
            cpu: {
                /**
                 * @description The limit. Null if there is none.
                 * @example 10
                 */
                limit: number | null;
                /**
                 * @description How much of it the servers of the project use now.
                 * @example 3
                 */
                used: number;
            };
            /** @description The memory of all servers together, in MiB. */
            ram: {
                /**
                 * @description The limit. Null if there is none.
                 * @example 10
                 */
                limit: number | null;
                /**
                 * @description How much of it the servers of the project use now.
                 * @example 3
                 */
                used: number;
            };
            /** @description The disk space of all servers together, in GiB. */
            disk: {
                /**
                 * @description The limit. Null if there is none.
                 * @example 10
                 */
                limit: number | null;
                /**
                 * @description How much of it the servers of the project use now.
                 * @example 3
                 */
                used: number;
            };
            /** @description The number of IP addresses of all servers together. */
            addresses: {
                /**
                 * @description The limit. Null if there is none.
                 * @example 10
                 */
                limit: number | null;
                /**
                 * @description How much of it the servers of the project use now.
                 * @example 3
                 */
                used: number;
            };
            /** @description The output of initial commands that is kept for all servers together, in MiB, as it is stored, compressed. Beyond the limit the oldest outputs are removed; no request is refused. */
            outputs: {
                /**
                 * @description The limit, in MiB. Null if there is none.
                 * @example 16
                 */
                limit: number | null;
                /**
                 * @description How much of it is in use now, in MiB, rounded up.
                 * @example 2
                 */
                used: number;
            };
        };
        /**
         * ProjectReference
         * @description The ID or name of a project. Text of only digits is taken as the ID, and any other text as the name. If several objects have this name, the response is 409 `ambiguous_name`.
         * @example 1
         * @example web-team
         */
        ProjectReference: string | number;
        /**
         * ProjectUpdate
         * @description The fields to change. Fields that are omitted are not changed.
         */
        ProjectUpdate: {
            /**
             * @description The name of the project. It must be unique; the comparison ignores case. It cannot consist only of digits or have the form of a UUID, since both are read as IDs.
             * @example web-team
             */
            name?: string;
            /**
             * @description A human-readable description. The default is an empty text.
             * @example Servers of the web team
             */
            description?: string;
            /**
             * @description Whether the names of the servers of the project must be unique. The comparison ignores case. A server that is being deleted keeps its name until it is gone. The default for a new project is `true`.
             * @example true
             */
            unique_names?: boolean;
            /**
             * @description Whether servers of the project can only be created with, and resized to, the sizes of `GET /v1/sizes`. Servers that have no such size keep theirs. The default for a new project is `false`.
             * @example true
             */
            sizes_only?: boolean;
            /** @description The limits for all servers of the project together. A limit below the current usage prevents growth, and removes nothing, except for `outputs`. Limits that are omitted are not changed; a new project has only the limit `outputs`. */
            quota?: {
                /**
                 * @description The number of servers. Null if there is no limit.
                 * @example 10
                 */
                servers?: number | null;
                /**
                 * @description The number of CPU cores of all servers together. Null if there is no limit.
                 * @example 16
                 */
                cpu?: number | null;
                /**
                 * @description The memory of all servers together, in MiB. Null if there is no limit.
                 * @example 32768
                 */
                ram?: number | null;
                /**
                 * @description The disk space of all servers together, in GiB. Null if there is no limit.
                 * @example 500
                 */
                disk?: number | null;
                /**
                 * @description The number of IP addresses of all servers together. Null if there is no limit.
                 * @example 10
                 */
                addresses?: number | null;
                /**
                 * @description The output of initial commands that is kept for all servers together, in MiB, as it is stored, compressed. Beyond the limit the oldest outputs are removed; no request is refused. The default for a new project is 16. Null if there is no limit.
                 * @example 16
                 */
                outputs?: number | null;
            };
        };
        /**
         * Refusal
         * @description Why the action was refused for a server, with the code that a request for this server alone would have got.
         */
        Refusal: {
            /**
             * @description The HTTP status code that a request for this server alone would have got.
             * @example 409
             */
            status: number;
            /**
             * @description The kind of error, for programs. `/docs/errors` explains each code.
             * @example server_not_running
             */
            code: string;
            /**
             * @description Why the server was refused and what to do about it, as human-readable text.
             * @example The server is stopped already.
             */
            detail: string;
            /** @description The operation in progress, which prevents the action. Present with the code `operation_in_progress`. */
            operation?: {
                /**
                 * @description The ID of the operation. `GET /v1/operations/{id}` returns all of its fields.
                 * @example 7
                 */
                id: number;
                /**
                 * @description The state of the operation. `pending`: it waits to be run. `running`: it is being run. `succeeded`: it is done. `failed`: it ended with an error. `superseded`: another operation, such as a delete, took its place before it ended. `cancelled`: a request ended it before it had an effect. The last four are final.
                 * @example running
                 * @enum {string}
                 */
                status: "pending" | "running" | "succeeded" | "failed" | "superseded" | "cancelled";
                /** @description Why the operation failed. Null unless it failed. */
                error: {
                    /**
                     * @description The code of the error, for programs. `/docs/errors` explains each code.
                     * @example guest_ignored_shutdown
                     */
                    code: string;
                    /**
                     * @description What failed and what to do about it, as human-readable text.
                     * @example The guest did not shut down within 60 seconds.
                     */
                    detail: string;
                } | null;
                /**
                 * @description What the operation does.
                 * @example stop
                 */
                kind: string;
                /**
                 * @description The ID of the server. Null for an operation on a node.
                 * @example 42
                 */
                server_id: number | null;
                /**
                 * @description How much of the work was done, in percent.
                 * @example 40
                 */
                progress: number;
            };
        };
        /**
         * RevokedToken
         * @description The token that was revoked.
         */
        RevokedToken: {
            /**
             * @description The ID of the token.
             * @example 3
             */
            id: number;
            /**
             * @description The name of the token.
             * @example backup script
             */
            name: string;
            /**
             * @description The ID of the project that the token gives access to.
             * @example 1
             */
            project_id: number;
            /** @description The scopes of the token: what it allows. */
            scopes: ("servers:read" | "servers:write" | "metrics:read" | "admin")[];
            /**
             * @description The ID of the user that the token belongs to. It never allows more than the user may do. Null if it belongs to no user.
             * @example 2
             */
            user_id: number | null;
            /**
             * @description The ID of the token that this token was created with. If that one is revoked or expires, so does this one. Null if it was created in a session or on the command line.
             * @example 7
             */
            parent_id: number | null;
            /** @description The networks that requests with the token may come from. If the list is empty, they may come from everywhere. */
            allowed_networks: string[];
            /**
             * Format: date-time
             * @description The time at which the token expires. Null if it does not expire. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description The time of the last request with the token, accurate to a minute. Null if there was none. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description The time at which the token was created. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * @description The number of tokens that were revoked: 1 for the token itself, and those that were created with it, directly or indirectly.
             * @example 3
             */
            revoked_tokens: number;
        };
        /**
         * SecretRotation
         * @description How long the former secret stays in use.
         */
        SecretRotation: {
            /**
             * @description For how many hours deliveries are also signed with the former secret, up to 168. The default is 24. Use 0 if it has become known to others. A secret before the former one is no longer used.
             * @example 24
             */
            keep_former_hours?: number;
        };
        /**
         * Server
         * @description A virtual server: a system container on a node of a location.
         */
        Server: {
            /**
             * @description The ID of the server.
             * @example 42
             */
            id: number;
            /**
             * @description The host name of the server: the `name` that it was created with, or was given later.
             * @example web-1
             */
            hostname: string;
            /**
             * @description The UUID of the server. It is unique across installations, and never changes.
             * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
             */
            uuid: string;
            /**
             * @description The state of the server. `creating`: it is being created or rebuilt. `started`: it is running. `stopped`: it is not running. `paused`: it is frozen. `deleting`: it is being deleted. `error`: it cannot be used, and `error` says why. While an operation is in progress, `GET /v1/servers/{id}/status` returns more.
             * @example started
             * @enum {string}
             */
            status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
            /**
             * @description The name of the node that the server is on.
             * @example node-1
             */
            node: string;
            /**
             * @description The name of the operating system of the server.
             * @example Debian 12
             */
            os: string;
            /** @description The cores, the memory and the disk of the server. */
            specifications: {
                /**
                 * @description The number of CPU cores.
                 * @example 2
                 */
                cpu: number;
                /**
                 * @description The amount of memory, in MiB.
                 * @example 2048
                 */
                ram: number;
                /**
                 * @description The disk size, in GiB.
                 * @example 20
                 */
                disk: number;
            };
            /**
             * @description The name of the size that the server was created with, or last resized to. Null if it has none, because the request gave `cpu`, `ram` and `disk` instead.
             * @example small
             */
            size: string | null;
            /** @description The IP addresses of the server. The primary one is the first. */
            ip_addresses: components["schemas"]["ServerAddress"][];
            usage: components["schemas"]["Usage"];
            /**
             * Format: date-time
             * @description The time at which the server was requested. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * @description The ID of the project that the server belongs to.
             * @example 1
             */
            project_id: number;
            /**
             * @description The ID of the location of the server.
             * @example 1
             */
            location_id: number;
            /**
             * @description The ID of the operating system of the server.
             * @example 1
             */
            os_id: number;
            /**
             * @description The ID of the size of the server. Null if it has none.
             * @example 1
             */
            size_id: number | null;
            /**
             * @description The anti-affinity group that the server was created with. Null if it is in none.
             * @example database
             */
            group: string | null;
            /**
             * @description The labels of the server: values by keys.
             * @example {
             *       "env": "prod",
             *       "team": "web"
             *     }
             */
            labels: {
                [key: string]: string;
            };
            /**
             * @description Notes about the server, for people. They may be empty.
             * @example Ask the web team before a restart.
             */
            notes: string;
            /** @description The actions against which the server is protected. */
            protection: {
                /** @description Whether a delete of the server is refused with 409 `protected`. */
                delete: boolean;
                /** @description Whether a rebuild of the server is refused with 409 `protected`. */
                rebuild: boolean;
            };
            /**
             * @description The error of the server, as human-readable text. Null if there is none.
             * @example The image could not be downloaded.
             */
            error: string | null;
            /** @description The outcome of the `initialCommands` of the server. */
            initial_commands: {
                /**
                 * @description The number of commands that the server was created, or last rebuilt, with.
                 * @example 3
                 */
                total: number;
                /**
                 * @description The number of commands that have ended with an exit status other than 0 so far. The server is usable all the same. `commands` of the operation that created it (`GET /v1/operations?server_id={id}&kind=create`) has the result of each.
                 * @example 1
                 */
                failed: number;
            };
            /** @description The SSH keys that the server was created, or last rebuilt, with: their names at that time. Keys that were added or removed in the server since are not known. */
            ssh_keys: {
                /**
                 * @description The name of the SSH key.
                 * @example laptop
                 */
                name: string;
                /**
                 * @description The SHA-256 fingerprint of the SSH key, as `ssh-keygen -l` shows it.
                 * @example SHA256:itJbxMIdu/F5NYka3+0BYb5/D7Hj7Akau6FHJElYW+Q
                 */
                fingerprint: string;
            }[];
            /** @description Whether the server was created, or last rebuilt, to accept passwords over SSH. */
            password_login: boolean;
            /** @description The suspension of the server by an administrator: it is stopped, and then can only be deleted. As long as it is still running, it can be stopped, too. Null unless it is suspended. */
            suspension: {
                /**
                 * @description Why an administrator suspended the server, as human-readable text.
                 * @example The invoice of November is overdue.
                 */
                reason: string;
                /**
                 * Format: date-time
                 * @description The time at which the server was suspended. Formatted as RFC 3339, in UTC.
                 * @example 2026-11-21T04:32:50.120000Z
                 */
                at: string;
            } | null;
            /** @description Why the current state of the server is unknown. The other fields show what was last known. Null while the node of the server answers. */
            unavailable: {
                /**
                 * @description Why the state of the server is unknown, as human-readable text.
                 * @example Its node node-1 does not answer.
                 */
                reason: string;
                /**
                 * Format: date-time
                 * @description The time since which the state has been unknown. Formatted as RFC 3339, in UTC.
                 * @example 2026-11-21T04:32:50.120000Z
                 */
                since: string;
            } | null;
            /**
             * @description The actions that the server accepts in its current state.
             * @example [
             *       "stop",
             *       "restart",
             *       "delete"
             *     ]
             */
            allowed_actions: ("start" | "stop" | "restart" | "pause" | "unpause" | "password" | "retry" | "rebuild" | "resize" | "delete")[];
            /**
             * @description Warnings about what the server does not get, such as an IPv4 address, and, with `Prefer: wait`, why its creation is being retried. Only present in the response to a request that creates a server, and only if there is a warning.
             * @example []
             */
            warnings?: string[];
        };
        /**
         * ServerAddress
         * @description An IP address of a server.
         */
        ServerAddress: {
            /**
             * @description An IPv4 or IPv6 address.
             * @example 10.84.1.17
             */
            ip: string;
            /**
             * @description Whether this is the primary address of the server. A server has one primary address.
             * @example true
             */
            is_primary: boolean;
        };
        /**
         * ServerCreate
         * @description The server to create. `name`, `location_id`, `os_id` and `initialCommands` are required, `password` unless `password_login` is `false`, and either `size`, or `cpu`, `ram` and `disk`.
         */
        ServerCreate: {
            /**
             * @description The host name of the server (RFC 1123). It cannot be an IP address. If the project has `unique_names`, no other server of the project may have it. It cannot consist only of digits or have the form of a UUID, since both are read as IDs.
             * @example web-1
             */
            name: string;
            /**
             * @description The location in which the server runs. List the locations with `GET /v1/locations`. The value is the ID or name of a location.
             * @example 1
             * @example local
             */
            location_id: number | string;
            /**
             * @description The operating system of the server. List the operating systems with `GET /v1/operating-systems`. The value is the ID or `slug` of an operating system.
             * @example 1
             * @example debian-12
             */
            os_id: number | string;
            /**
             * @description The password of `root`. It is required unless `password_login` is `false`; without one, `root` has no password. Berth stores only its hash, and only until the server is created, or for 24 hours if the creation failed.
             * @example correct horse battery staple
             */
            password?: string;
            /** @description Up to 20 SSH keys that can log in as `root`: the content of its `authorized_keys`. The server gets them as they are now, even if they are deleted before it is created. By default it gets none. */
            ssh_keys?: (number | string)[];
            /** @description Whether the SSH server accepts passwords. It can only be `false` if `ssh_keys` has at least one SSH key. The default is `true`. */
            password_login?: boolean;
            /**
             * @description The user data for cloud-init, of at most 64 KiB: text that begins with `#cloud-config`, `#!` or another header that cloud-init knows, a multi-part message with the header `MIME-Version`, or gzip of one of these as base64, of at most 1 MiB when unpacked. cloud-init carries it out at the first boot, before the `initialCommands`. `user_data` of the operation has what cloud-init says of it; errors in it do not end the creation. Berth stores it encrypted, and only until the server is created, or for 24 hours if the creation failed, or was cancelled and can be retried. By default there is none.
             * @example #cloud-config
             *     packages:
             *       - nginx
             * @example #!/bin/sh
             *     touch /root/ready
             * @example H4sIAAAAAAAAA1NOzskvTdFNzs9Ly0znKkhMzk5MTy22UojOS8/Mq4jlAgCGOqBiIAAAAA==
             */
            user_data?: string;
            /**
             * @description Up to 64 commands that are run once, as root and in order, after the installation. The list may be empty. The body of a request is at most 256 KiB, which bounds the commands and the user data together. Commands that fail do not end the creation. A command may restart the server or power it off; the server is then started again, and the next command is run. If the commands have not ended after two hours, the creation ends with a message about this, and the command that is running is not interrupted.
             * @example [
             *       "apt-get update",
             *       [
             *         "touch",
             *         "/root/ready"
             *       ]
             *     ]
             */
            initialCommands: (string | string[])[];
            /**
             * @description The size of the server, in place of `cpu`, `ram` and `disk`. It is required if the project has `sizes_only`. List the sizes with `GET /v1/sizes`. The value is the ID or name of a size.
             * @example 1
             * @example small
             */
            size?: number | string;
            /**
             * @description The number of CPU cores, within the `limits` of the location. It is required without `size`, and cannot be combined with it.
             * @example 2
             */
            cpu?: number;
            /**
             * @description The amount of memory, in MiB, within the `limits` of the location and the `minimum` of the operating system. It is required without `size`, and cannot be combined with it.
             * @example 2048
             */
            ram?: number;
            /**
             * @description The disk size, in GiB, within the `limits` of the location and the `minimum` of the operating system. It is required without `size`, and cannot be combined with it.
             * @example 20
             */
            disk?: number;
            /**
             * @description The anti-affinity group of the server. Servers of the same group and project are placed on different nodes where possible. By default the server is in no group.
             * @example database
             */
            group?: string;
            /**
             * @description Up to 64 labels: values by keys, as in Kubernetes. `label_selector` of `GET /v1/servers` finds servers by them. A key consists of 1 to 63 letters, digits, hyphens, underscores and dots, with a letter or digit at both ends, optionally after a DNS name and a slash (`example.com/tier`). A value has the same form, without the DNS name, and may be empty. They are compared exactly, including case. By default the server has none.
             * @example {
             *       "env": "prod",
             *       "team": "web"
             *     }
             */
            labels?: {
                [key: string]: string;
            };
            /**
             * @description Notes about the server, for people, of at most 2000 characters. By default they are empty.
             * @example Ask the web team before a restart.
             */
            notes?: string;
            /** @description The actions against which the server is protected, so that nobody carries them out by mistake. Whoever may carry them out can also end the protection. By default the server is protected against neither. */
            protection?: {
                /** @description Whether a delete of the server is refused with 409 `protected`. */
                delete?: boolean;
                /** @description Whether a rebuild of the server is refused with 409 `protected`. */
                rebuild?: boolean;
            };
        } & (unknown & unknown);
        /**
         * ServerCreated
         * @description The new server, and the operation that creates it. The server is ready to use once `operation.status` is `succeeded`.
         */
        ServerCreated: {
            /**
             * @description The ID of the server.
             * @example 42
             */
            id: number;
            /**
             * @description The host name of the server: the `name` that it was created with, or was given later.
             * @example web-1
             */
            hostname: string;
            /**
             * @description The UUID of the server. It is unique across installations, and never changes.
             * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
             */
            uuid: string;
            /**
             * @description The state of the server. `creating`: it is being created or rebuilt. `started`: it is running. `stopped`: it is not running. `paused`: it is frozen. `deleting`: it is being deleted. `error`: it cannot be used, and `error` says why. While an operation is in progress, `GET /v1/servers/{id}/status` returns more.
             * @example started
             * @enum {string}
             */
            status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
            /**
             * @description The name of the node that the server is on.
             * @example node-1
             */
            node: string;
            /**
             * @description The name of the operating system of the server.
             * @example Debian 12
             */
            os: string;
            /** @description The cores, the memory and the disk of the server. */
            specifications: {
                /**
                 * @description The number of CPU cores.
                 * @example 2
                 */
                cpu: number;
                /**
                 * @description The amount of memory, in MiB.
                 * @example 2048
                 */
                ram: number;
                /**
                 * @description The disk size, in GiB.
                 * @example 20
                 */
                disk: number;
            };
            /**
             * @description The name of the size that the server was created with, or last resized to. Null if it has none, because the request gave `cpu`, `ram` and `disk` instead.
             * @example small
             */
            size: string | null;
            /** @description The IP addresses of the server. The primary one is the first. */
            ip_addresses: components["schemas"]["ServerAddress"][];
            usage: components["schemas"]["Usage"];
            /**
             * Format: date-time
             * @description The time at which the server was requested. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * @description The ID of the project that the server belongs to.
             * @example 1
             */
            project_id: number;
            /**
             * @description The ID of the location of the server.
             * @example 1
             */
            location_id: number;
            /**
             * @description The ID of the operating system of the server.
             * @example 1
             */
            os_id: number;
            /**
             * @description The ID of the size of the server. Null if it has none.
             * @example 1
             */
            size_id: number | null;
            /**
             * @description The anti-affinity group that the server was created with. Null if it is in none.
             * @example database
             */
            group: string | null;
            /**
             * @description The labels of the server: values by keys.
             * @example {
             *       "env": "prod",
             *       "team": "web"
             *     }
             */
            labels: {
                [key: string]: string;
            };
            /**
             * @description Notes about the server, for people. They may be empty.
             * @example Ask the web team before a restart.
             */
            notes: string;
            /** @description The actions against which the server is protected. */
            protection: {
                /** @description Whether a delete of the server is refused with 409 `protected`. */
                delete: boolean;
                /** @description Whether a rebuild of the server is refused with 409 `protected`. */
                rebuild: boolean;
            };
            /**
             * @description The error of the server, as human-readable text. Null if there is none.
             * @example The image could not be downloaded.
             */
            error: string | null;
            /** @description The outcome of the `initialCommands` of the server. */
            initial_commands: {
                /**
                 * @description The number of commands that the server was created, or last rebuilt, with.
                 * @example 3
                 */
                total: number;
                /**
                 * @description The number of commands that have ended with an exit status other than 0 so far. The server is usable all the same. `commands` of the operation that created it (`GET /v1/operations?server_id={id}&kind=create`) has the result of each.
                 * @example 1
                 */
                failed: number;
            };
            /** @description The SSH keys that the server was created, or last rebuilt, with: their names at that time. Keys that were added or removed in the server since are not known. */
            ssh_keys: {
                /**
                 * @description The name of the SSH key.
                 * @example laptop
                 */
                name: string;
                /**
                 * @description The SHA-256 fingerprint of the SSH key, as `ssh-keygen -l` shows it.
                 * @example SHA256:itJbxMIdu/F5NYka3+0BYb5/D7Hj7Akau6FHJElYW+Q
                 */
                fingerprint: string;
            }[];
            /** @description Whether the server was created, or last rebuilt, to accept passwords over SSH. */
            password_login: boolean;
            /** @description The suspension of the server by an administrator: it is stopped, and then can only be deleted. As long as it is still running, it can be stopped, too. Null unless it is suspended. */
            suspension: {
                /**
                 * @description Why an administrator suspended the server, as human-readable text.
                 * @example The invoice of November is overdue.
                 */
                reason: string;
                /**
                 * Format: date-time
                 * @description The time at which the server was suspended. Formatted as RFC 3339, in UTC.
                 * @example 2026-11-21T04:32:50.120000Z
                 */
                at: string;
            } | null;
            /** @description Why the current state of the server is unknown. The other fields show what was last known. Null while the node of the server answers. */
            unavailable: {
                /**
                 * @description Why the state of the server is unknown, as human-readable text.
                 * @example Its node node-1 does not answer.
                 */
                reason: string;
                /**
                 * Format: date-time
                 * @description The time since which the state has been unknown. Formatted as RFC 3339, in UTC.
                 * @example 2026-11-21T04:32:50.120000Z
                 */
                since: string;
            } | null;
            /**
             * @description The actions that the server accepts in its current state.
             * @example [
             *       "stop",
             *       "restart",
             *       "delete"
             *     ]
             */
            allowed_actions: ("start" | "stop" | "restart" | "pause" | "unpause" | "password" | "retry" | "rebuild" | "resize" | "delete")[];
            /**
             * @description Warnings about what the server does not get, such as an IPv4 address, and, with `Prefer: wait`, why its creation is being retried. Only present in the response to a request that creates a server, and only if there is a warning.
             * @example []
             */
            warnings?: string[];
            operation: components["schemas"]["OperationOutcome"];
        };
        /**
         * ServerCreatedEvent
         * @description A server was requested, and is being created.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "server.created",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "server": {
         *           "id": 42,
         *           "uuid": "6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10",
         *           "hostname": "web-1",
         *           "status": "creating",
         *           "error": null,
         *           "location_id": 1,
         *           "is_suspended": false,
         *           "specifications": {
         *             "cpu": 2,
         *             "ram": 2048,
         *             "disk": 20
         *           },
         *           "labels": {
         *             "env": "prod"
         *           }
         *         }
         *       }
         *     }
         */
        ServerCreatedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. A server was requested, and is being created.
             * @example server.created
             * @enum {string}
             */
            type: "server.created";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The server as it was after the change. */
                server: {
                    /**
                     * @description The ID of the server.
                     * @example 42
                     */
                    id: number;
                    /**
                     * @description The UUID of the server.
                     * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
                     */
                    uuid: string;
                    /**
                     * @description The host name of the server.
                     * @example web-1
                     */
                    hostname: string;
                    /**
                     * @description The state of the server, as `status` of `GET /v1/servers/{id}`.
                     * @example started
                     * @enum {string}
                     */
                    status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
                    /**
                     * @description The error of the server, as human-readable text. Null if there is none.
                     * @example The image could not be downloaded.
                     */
                    error: string | null;
                    /**
                     * @description The ID of the location of the server.
                     * @example 1
                     */
                    location_id: number;
                    /** @description Whether the server is suspended. */
                    is_suspended: boolean;
                    /** @description The cores, the memory and the disk of the server. */
                    specifications: {
                        /**
                         * @description The number of CPU cores.
                         * @example 2
                         */
                        cpu: number;
                        /**
                         * @description The amount of memory, in MiB.
                         * @example 2048
                         */
                        ram: number;
                        /**
                         * @description The disk size, in GiB.
                         * @example 20
                         */
                        disk: number;
                    };
                    /**
                     * @description The labels of the server: values by keys.
                     * @example {
                     *       "env": "prod"
                     *     }
                     */
                    labels: {
                        [key: string]: string;
                    };
                };
            };
        };
        /**
         * ServerCreatingEvent
         * @description A retry or a rebuild creates the server anew.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "server.creating",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "server": {
         *           "id": 42,
         *           "uuid": "6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10",
         *           "hostname": "web-1",
         *           "status": "creating",
         *           "error": null,
         *           "location_id": 1,
         *           "is_suspended": false,
         *           "specifications": {
         *             "cpu": 2,
         *             "ram": 2048,
         *             "disk": 20
         *           },
         *           "labels": {
         *             "env": "prod"
         *           }
         *         }
         *       }
         *     }
         */
        ServerCreatingEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. A retry or a rebuild creates the server anew.
             * @example server.creating
             * @enum {string}
             */
            type: "server.creating";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The server as it was after the change. */
                server: {
                    /**
                     * @description The ID of the server.
                     * @example 42
                     */
                    id: number;
                    /**
                     * @description The UUID of the server.
                     * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
                     */
                    uuid: string;
                    /**
                     * @description The host name of the server.
                     * @example web-1
                     */
                    hostname: string;
                    /**
                     * @description The state of the server, as `status` of `GET /v1/servers/{id}`.
                     * @example started
                     * @enum {string}
                     */
                    status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
                    /**
                     * @description The error of the server, as human-readable text. Null if there is none.
                     * @example The image could not be downloaded.
                     */
                    error: string | null;
                    /**
                     * @description The ID of the location of the server.
                     * @example 1
                     */
                    location_id: number;
                    /** @description Whether the server is suspended. */
                    is_suspended: boolean;
                    /** @description The cores, the memory and the disk of the server. */
                    specifications: {
                        /**
                         * @description The number of CPU cores.
                         * @example 2
                         */
                        cpu: number;
                        /**
                         * @description The amount of memory, in MiB.
                         * @example 2048
                         */
                        ram: number;
                        /**
                         * @description The disk size, in GiB.
                         * @example 20
                         */
                        disk: number;
                    };
                    /**
                     * @description The labels of the server: values by keys.
                     * @example {
                     *       "env": "prod"
                     *     }
                     */
                    labels: {
                        [key: string]: string;
                    };
                };
            };
        };
        /**
         * ServerDeletedEvent
         * @description The server was deleted.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "server.deleted",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "server": {
         *           "id": 42,
         *           "uuid": "6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10",
         *           "hostname": "web-1",
         *           "status": "deleting",
         *           "error": null,
         *           "location_id": 1,
         *           "is_suspended": false,
         *           "specifications": {
         *             "cpu": 2,
         *             "ram": 2048,
         *             "disk": 20
         *           },
         *           "labels": {
         *             "env": "prod"
         *           }
         *         }
         *       }
         *     }
         */
        ServerDeletedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. The server was deleted.
             * @example server.deleted
             * @enum {string}
             */
            type: "server.deleted";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The server as it was after the change. */
                server: {
                    /**
                     * @description The ID of the server.
                     * @example 42
                     */
                    id: number;
                    /**
                     * @description The UUID of the server.
                     * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
                     */
                    uuid: string;
                    /**
                     * @description The host name of the server.
                     * @example web-1
                     */
                    hostname: string;
                    /**
                     * @description The state of the server, as `status` of `GET /v1/servers/{id}`.
                     * @example started
                     * @enum {string}
                     */
                    status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
                    /**
                     * @description The error of the server, as human-readable text. Null if there is none.
                     * @example The image could not be downloaded.
                     */
                    error: string | null;
                    /**
                     * @description The ID of the location of the server.
                     * @example 1
                     */
                    location_id: number;
                    /** @description Whether the server is suspended. */
                    is_suspended: boolean;
                    /** @description The cores, the memory and the disk of the server. */
                    specifications: {
                        /**
                         * @description The number of CPU cores.
                         * @example 2
                         */
                        cpu: number;
                        /**
                         * @description The amount of memory, in MiB.
                         * @example 2048
                         */
                        ram: number;
                        /**
                         * @description The disk size, in GiB.
                         * @example 20
                         */
                        disk: number;
                    };
                    /**
                     * @description The labels of the server: values by keys.
                     * @example {
                     *       "env": "prod"
                     *     }
                     */
                    labels: {
                        [key: string]: string;
                    };
                };
            };
        };
        /**
         * ServerDeletingEvent
         * @description The server is being deleted.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "server.deleting",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "server": {
         *           "id": 42,
         *           "uuid": "6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10",
         *           "hostname": "web-1",
         *           "status": "deleting",
         *           "error": null,
         *           "location_id": 1,
         *           "is_suspended": false,
         *           "specifications": {
         *             "cpu": 2,
         *             "ram": 2048,
         *             "disk": 20
         *           },
         *           "labels": {
         *             "env": "prod"
         *           }
         *         }
         *       }
         *     }
         */
        ServerDeletingEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. The server is being deleted.
             * @example server.deleting
             * @enum {string}
             */
            type: "server.deleting";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The server as it was after the change. */
                server: {
                    /**
                     * @description The ID of the server.
                     * @example 42
                     */
                    id: number;
                    /**
                     * @description The UUID of the server.
                     * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
                     */
                    uuid: string;
                    /**
                     * @description The host name of the server.
                     * @example web-1
                     */
                    hostname: string;
                    /**
                     * @description The state of the server, as `status` of `GET /v1/servers/{id}`.
                     * @example started
                     * @enum {string}
                     */
                    status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
                    /**
                     * @description The error of the server, as human-readable text. Null if there is none.
                     * @example The image could not be downloaded.
                     */
                    error: string | null;
                    /**
                     * @description The ID of the location of the server.
                     * @example 1
                     */
                    location_id: number;
                    /** @description Whether the server is suspended. */
                    is_suspended: boolean;
                    /** @description The cores, the memory and the disk of the server. */
                    specifications: {
                        /**
                         * @description The number of CPU cores.
                         * @example 2
                         */
                        cpu: number;
                        /**
                         * @description The amount of memory, in MiB.
                         * @example 2048
                         */
                        ram: number;
                        /**
                         * @description The disk size, in GiB.
                         * @example 20
                         */
                        disk: number;
                    };
                    /**
                     * @description The labels of the server: values by keys.
                     * @example {
                     *       "env": "prod"
                     *     }
                     */
                    labels: {
                        [key: string]: string;
                    };
                };
            };
        };
        /**
         * ServerDryRun
         * @description The result that creating the server would have.
         */
        ServerDryRun: {
            /**
             * @description The name of the node that the server would run on.
             * @example node-1
             */
            node: string;
            /** @description The IP addresses that the server would get, unless another server takes them first. */
            ip_addresses: components["schemas"]["ServerAddress"][];
            /** @description What the server would add to the usage of the quota of the project. */
            quota: {
                /**
                 * @description The number of servers: 1.
                 * @example 1
                 */
                servers: number;
                /**
                 * @description The number of CPU cores.
                 * @example 2
                 */
                cpu: number;
                /**
                 * @description The amount of memory, in MiB.
                 * @example 2048
                 */
                ram: number;
                /**
                 * @description The disk size, in GiB.
                 * @example 20
                 */
                disk: number;
                /**
                 * @description The number of IP addresses.
                 * @example 2
                 */
                addresses: number;
            };
            /**
             * @description Warnings about what the server would not get, such as an IPv4 address, and about a location that cannot be reached at the moment, for which the creation would wait.
             * @example []
             */
            warnings: string[];
        };
        /**
         * ServerFailedEvent
         * @description The server cannot be used, and `error` says why.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "server.failed",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "server": {
         *           "id": 42,
         *           "uuid": "6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10",
         *           "hostname": "web-1",
         *           "status": "error",
         *           "error": "The image could not be downloaded.",
         *           "location_id": 1,
         *           "is_suspended": false,
         *           "specifications": {
         *             "cpu": 2,
         *             "ram": 2048,
         *             "disk": 20
         *           },
         *           "labels": {
         *             "env": "prod"
         *           }
         *         }
         *       }
         *     }
         */
        ServerFailedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. The server cannot be used, and `error` says why.
             * @example server.failed
             * @enum {string}
             */
            type: "server.failed";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The server as it was after the change. */
                server: {
                    /**
                     * @description The ID of the server.
                     * @example 42
                     */
                    id: number;
                    /**
                     * @description The UUID of the server.
                     * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
                     */
                    uuid: string;
                    /**
                     * @description The host name of the server.
                     * @example web-1
                     */
                    hostname: string;
                    /**
                     * @description The state of the server, as `status` of `GET /v1/servers/{id}`.
                     * @example started
                     * @enum {string}
                     */
                    status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
                    /**
                     * @description The error of the server, as human-readable text. Null if there is none.
                     * @example The image could not be downloaded.
                     */
                    error: string | null;
                    /**
                     * @description The ID of the location of the server.
                     * @example 1
                     */
                    location_id: number;
                    /** @description Whether the server is suspended. */
                    is_suspended: boolean;
                    /** @description The cores, the memory and the disk of the server. */
                    specifications: {
                        /**
                         * @description The number of CPU cores.
                         * @example 2
                         */
                        cpu: number;
                        /**
                         * @description The amount of memory, in MiB.
                         * @example 2048
                         */
                        ram: number;
                        /**
                         * @description The disk size, in GiB.
                         * @example 20
                         */
                        disk: number;
                    };
                    /**
                     * @description The labels of the server: values by keys.
                     * @example {
                     *       "env": "prod"
                     *     }
                     */
                    labels: {
                        [key: string]: string;
                    };
                };
            };
        };
        /**
         * ServerMove
         * @description Where to move the server. The body may be omitted.
         */
        ServerMove: {
            /**
             * @description The name of the node to move the server to, at the same location. By default Berth chooses one.
             * @example node-2
             */
            node?: string;
        };
        /**
         * ServerPassword
         * @description The password to set. The body may be omitted.
         */
        ServerPassword: {
            /**
             * @description The password of `root`. By default one is generated. Berth stores only its hash, and only until it is set.
             * @example correct horse battery staple
             */
            password?: string;
        };
        /**
         * ServerPausedEvent
         * @description The server was frozen.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "server.paused",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "server": {
         *           "id": 42,
         *           "uuid": "6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10",
         *           "hostname": "web-1",
         *           "status": "paused",
         *           "error": null,
         *           "location_id": 1,
         *           "is_suspended": false,
         *           "specifications": {
         *             "cpu": 2,
         *             "ram": 2048,
         *             "disk": 20
         *           },
         *           "labels": {
         *             "env": "prod"
         *           }
         *         }
         *       }
         *     }
         */
        ServerPausedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. The server was frozen.
             * @example server.paused
             * @enum {string}
             */
            type: "server.paused";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The server as it was after the change. */
                server: {
                    /**
                     * @description The ID of the server.
                     * @example 42
                     */
                    id: number;
                    /**
                     * @description The UUID of the server.
                     * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
                     */
                    uuid: string;
                    /**
                     * @description The host name of the server.
                     * @example web-1
                     */
                    hostname: string;
                    /**
                     * @description The state of the server, as `status` of `GET /v1/servers/{id}`.
                     * @example started
                     * @enum {string}
                     */
                    status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
                    /**
                     * @description The error of the server, as human-readable text. Null if there is none.
                     * @example The image could not be downloaded.
                     */
                    error: string | null;
                    /**
                     * @description The ID of the location of the server.
                     * @example 1
                     */
                    location_id: number;
                    /** @description Whether the server is suspended. */
                    is_suspended: boolean;
                    /** @description The cores, the memory and the disk of the server. */
                    specifications: {
                        /**
                         * @description The number of CPU cores.
                         * @example 2
                         */
                        cpu: number;
                        /**
                         * @description The amount of memory, in MiB.
                         * @example 2048
                         */
                        ram: number;
                        /**
                         * @description The disk size, in GiB.
                         * @example 20
                         */
                        disk: number;
                    };
                    /**
                     * @description The labels of the server: values by keys.
                     * @example {
                     *       "env": "prod"
                     *     }
                     */
                    labels: {
                        [key: string]: string;
                    };
                };
            };
        };
        /**
         * ServerRebuild
         * @description The operating system of the rebuilt server, how `root` logs in to it, its user data and its initial commands. `erase` and `initialCommands` are required, and `password` unless `password_login` is `false`.
         */
        ServerRebuild: {
            /** @description Must be `true`: everything on the disk of the server is lost. It can only be omitted if the node of the server was declared lost, and its disk with it. */
            erase?: boolean;
            /**
             * @description The operating system of the rebuilt server. By default it stays the same. List the operating systems with `GET /v1/operating-systems`. The value is the ID or `slug` of an operating system.
             * @example 1
             * @example debian-12
             */
            os_id?: number | string;
            /**
             * @description The password of `root`. It is required unless `password_login` is `false`; without one, `root` has no password. Berth stores only its hash, and only until the server is created, or for 24 hours if the creation failed.
             * @example correct horse battery staple
             */
            password?: string;
            /** @description Up to 20 SSH keys that can log in as `root`: the content of its `authorized_keys`. The server gets them as they are now, even if they are deleted before it is created. By default it gets none. */
            ssh_keys?: (number | string)[];
            /** @description Whether the SSH server accepts passwords. It can only be `false` if `ssh_keys` has at least one SSH key. The default is `true`. */
            password_login?: boolean;
            /**
             * @description The user data for cloud-init, of at most 64 KiB: text that begins with `#cloud-config`, `#!` or another header that cloud-init knows, a multi-part message with the header `MIME-Version`, or gzip of one of these as base64, of at most 1 MiB when unpacked. cloud-init carries it out at the first boot, before the `initialCommands`. `user_data` of the operation has what cloud-init says of it; errors in it do not end the creation. Berth stores it encrypted, and only until the server is created, or for 24 hours if the creation failed, or was cancelled and can be retried. By default there is none.
             * @example #cloud-config
             *     packages:
             *       - nginx
             * @example #!/bin/sh
             *     touch /root/ready
             * @example H4sIAAAAAAAAA1NOzskvTdFNzs9Ly0znKkhMzk5MTy22UojOS8/Mq4jlAgCGOqBiIAAAAA==
             */
            user_data?: string;
            /**
             * @description Up to 64 commands that are run once, as root and in order, after the installation. The list may be empty. The body of a request is at most 256 KiB, which bounds the commands and the user data together. Commands that fail do not end the creation. A command may restart the server or power it off; the server is then started again, and the next command is run. If the commands have not ended after two hours, the creation ends with a message about this, and the command that is running is not interrupted.
             * @example [
             *       "apt-get update",
             *       [
             *         "touch",
             *         "/root/ready"
             *       ]
             *     ]
             */
            initialCommands: (string | string[])[];
        };
        /**
         * ServerReference
         * @description The ID, name or UUID of a server. Text of only digits is taken as the ID, text in the form of a UUID as the UUID, and any other text as the name. If several objects have this name, the response is 409 `ambiguous_name`.
         * @example 1
         * @example web-1
         * @example 3f2504e0-4f89-41d3-9a0c-0305e82c3301
         */
        ServerReference: string | number;
        /**
         * ServerResize
         * @description The new size of the server: `size`, or at least one of `cpu`, `ram` and `disk`. Of these, what is omitted stays as it is.
         */
        ServerResize: {
            /**
             * @description The size that the server gets, in place of `cpu`, `ram` and `disk`. It is required if the project has `sizes_only`. Without it, the server no longer has a size of `GET /v1/sizes`. List the sizes with `GET /v1/sizes`. The value is the ID or name of a size.
             * @example 1
             * @example small
             */
            size?: number | string;
            /** @description Whether the disk stays as it is, although that of `size` is larger. The server can then get a smaller size again. It requires `size`. The default is `false`. */
            keep_disk?: boolean;
            /**
             * @description The number of CPU cores, within the `limits` of the location.
             * @example 4
             */
            cpu?: number;
            /**
             * @description The amount of memory, in MiB, within the `limits` of the location and the `minimum` of the operating system, and more than the server has in use.
             * @example 4096
             */
            ram?: number;
            /**
             * @description The disk size, in GiB, within the `limits` of the location. A disk can grow, and cannot shrink.
             * @example 40
             */
            disk?: number;
            /** @description Whether the server may move to another node of its location if its node has no room for the new size. A running server is shut down for that, and started again. The default is `false`. */
            allow_move?: boolean;
        };
        /**
         * ServerStartedEvent
         * @description The server runs.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "server.started",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "server": {
         *           "id": 42,
         *           "uuid": "6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10",
         *           "hostname": "web-1",
         *           "status": "started",
         *           "error": null,
         *           "location_id": 1,
         *           "is_suspended": false,
         *           "specifications": {
         *             "cpu": 2,
         *             "ram": 2048,
         *             "disk": 20
         *           },
         *           "labels": {
         *             "env": "prod"
         *           }
         *         }
         *       }
         *     }
         */
        ServerStartedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. The server runs.
             * @example server.started
             * @enum {string}
             */
            type: "server.started";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The server as it was after the change. */
                server: {
                    /**
                     * @description The ID of the server.
                     * @example 42
                     */
                    id: number;
                    /**
                     * @description The UUID of the server.
                     * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
                     */
                    uuid: string;
                    /**
                     * @description The host name of the server.
                     * @example web-1
                     */
                    hostname: string;
                    /**
                     * @description The state of the server, as `status` of `GET /v1/servers/{id}`.
                     * @example started
                     * @enum {string}
                     */
                    status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
                    /**
                     * @description The error of the server, as human-readable text. Null if there is none.
                     * @example The image could not be downloaded.
                     */
                    error: string | null;
                    /**
                     * @description The ID of the location of the server.
                     * @example 1
                     */
                    location_id: number;
                    /** @description Whether the server is suspended. */
                    is_suspended: boolean;
                    /** @description The cores, the memory and the disk of the server. */
                    specifications: {
                        /**
                         * @description The number of CPU cores.
                         * @example 2
                         */
                        cpu: number;
                        /**
                         * @description The amount of memory, in MiB.
                         * @example 2048
                         */
                        ram: number;
                        /**
                         * @description The disk size, in GiB.
                         * @example 20
                         */
                        disk: number;
                    };
                    /**
                     * @description The labels of the server: values by keys.
                     * @example {
                     *       "env": "prod"
                     *     }
                     */
                    labels: {
                        [key: string]: string;
                    };
                };
            };
        };
        /**
         * ServerStatus
         * @description The state of a server, and the progress of the operation on it.
         */
        ServerStatus: {
            /**
             * @description The progress of the operation on the server, as human-readable text. If no operation is in progress: the state of the server, and whether its last operation or some of its initial commands failed.
             * @example Creating the server: running command 2 of 3
             * @example The server is in the error state. Its last operation (create) failed: The storage pool is full.
             */
            status: string;
            /**
             * @description The state of the instance of the server, as its engine reports it. `not_exists`: there is no instance yet, or no longer. `unavailable`: the engine or the node cannot be reached. While the server is being created, its instance is first `not_exists`, then `stopped` until its disk is ready and it is started for the first time.
             * @example started
             * @enum {string}
             */
            real_status: "started" | "stopped" | "paused" | "error" | "not_exists" | "unavailable";
            /** @description Whether an operation on the server is in progress. To wait for its end, poll this field. */
            is_processing: boolean;
            /**
             * @description How much of the operation is done, in percent. It never decreases. If no operation is in progress: 100, or what the last operation had reached when it failed.
             * @example 80
             */
            progress: number;
        };
        /**
         * ServerStop
         * @description How to stop the server. The body may be omitted.
         */
        ServerStop: {
            /** @description Whether to cut the power of the server instead of shutting down its guest. The query parameter `force` does the same. The default is `false`. */
            force?: boolean;
        };
        /**
         * ServerStoppedEvent
         * @description The server no longer runs, or was created and has not been started.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "server.stopped",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "server": {
         *           "id": 42,
         *           "uuid": "6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10",
         *           "hostname": "web-1",
         *           "status": "stopped",
         *           "error": null,
         *           "location_id": 1,
         *           "is_suspended": false,
         *           "specifications": {
         *             "cpu": 2,
         *             "ram": 2048,
         *             "disk": 20
         *           },
         *           "labels": {
         *             "env": "prod"
         *           }
         *         }
         *       }
         *     }
         */
        ServerStoppedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. The server no longer runs, or was created and has not been started.
             * @example server.stopped
             * @enum {string}
             */
            type: "server.stopped";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The server as it was after the change. */
                server: {
                    /**
                     * @description The ID of the server.
                     * @example 42
                     */
                    id: number;
                    /**
                     * @description The UUID of the server.
                     * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
                     */
                    uuid: string;
                    /**
                     * @description The host name of the server.
                     * @example web-1
                     */
                    hostname: string;
                    /**
                     * @description The state of the server, as `status` of `GET /v1/servers/{id}`.
                     * @example started
                     * @enum {string}
                     */
                    status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
                    /**
                     * @description The error of the server, as human-readable text. Null if there is none.
                     * @example The image could not be downloaded.
                     */
                    error: string | null;
                    /**
                     * @description The ID of the location of the server.
                     * @example 1
                     */
                    location_id: number;
                    /** @description Whether the server is suspended. */
                    is_suspended: boolean;
                    /** @description The cores, the memory and the disk of the server. */
                    specifications: {
                        /**
                         * @description The number of CPU cores.
                         * @example 2
                         */
                        cpu: number;
                        /**
                         * @description The amount of memory, in MiB.
                         * @example 2048
                         */
                        ram: number;
                        /**
                         * @description The disk size, in GiB.
                         * @example 20
                         */
                        disk: number;
                    };
                    /**
                     * @description The labels of the server: values by keys.
                     * @example {
                     *       "env": "prod"
                     *     }
                     */
                    labels: {
                        [key: string]: string;
                    };
                };
            };
        };
        /**
         * ServerSuspend
         * @description Why to suspend the server.
         */
        ServerSuspend: {
            /**
             * @description Why the server is suspended, in a sentence for its owner. Every member of its project can read it.
             * @example The invoice of November is overdue.
             */
            reason: string;
        };
        /**
         * ServerTraffic
         * @description The traffic of a server in this month, and its traffic allowance.
         */
        ServerTraffic: {
            /**
             * @description The current calendar month, in UTC.
             * @example 2026-11
             */
            month: string;
            /** @description The traffic that the server received. */
            incoming: {
                /**
                 * @description The traffic of the current calendar month (UTC), in bytes.
                 * @example 734003200
                 */
                value: number;
                /**
                 * @description The traffic of the previous calendar month (UTC), in bytes.
                 * @example 0
                 */
                prev: number;
            };
            /** @description The traffic that the server sent. */
            outgoing: {
                /**
                 * @description The traffic of the current calendar month (UTC), in bytes.
                 * @example 734003200
                 */
                value: number;
                /**
                 * @description The traffic of the previous calendar month (UTC), in bytes.
                 * @example 0
                 */
                prev: number;
            };
            /**
             * @description The traffic allowance, in bytes per calendar month (UTC). Null if there is no limit.
             * @example 1000000000000
             */
            allowance: number | null;
            /**
             * @description Which traffic counts towards the allowance: what servers send (`outgoing`), what they receive (`incoming`), or both.
             * @example outgoing
             * @enum {string}
             */
            counted: "outgoing" | "incoming" | "both";
            /**
             * @description The traffic of this month that counts towards the allowance, in bytes.
             * @example 734003200
             */
            used: number;
            /**
             * Format: date-time
             * @description The time at which the traffic was last read. Null until the first time. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            read_at: string | null;
            /** @description Whether the traffic may be out of date: because the server was never read, as while it is being created, because it is running and was not read for 60 seconds, or because its node cannot be reached. */
            is_stale: boolean;
            /** @description Whether the allowance is used up. */
            is_exceeded: boolean;
            /**
             * @description What happens to a server that has used up its traffic allowance, until the next month begins (UTC). `none`: nothing happens. `throttle`: its bandwidth is limited to `traffic_throttle`. `stop`: it is stopped, and can be neither started nor restarted.
             * @example throttle
             * @enum {string}
             */
            policy: "none" | "throttle" | "stop";
            /**
             * @description The bandwidth in each direction to which the server is limited, in Mbit/s. Null while it is not throttled, or while the engine has not applied the throttle in both directions.
             * @example 10
             */
            throttled_to: number | null;
            /**
             * @description Why a throttle that is due could not be applied, or one that is over could not be removed. Null otherwise.
             * @example The kernel of its node cannot limit what a server sends.
             */
            throttle_error: string | null;
            /** @description The thresholds of the allowance that were reached this month. If the allowance was changed, each one has its own. */
            notices: {
                /**
                 * @description The threshold, in percent of the allowance: 80 or 100.
                 * @example 80
                 */
                percent: number;
                /**
                 * @description The allowance at that time, in bytes per calendar month (UTC). Null if it is not known.
                 * @example 1000000000000
                 */
                allowance: number | null;
                /**
                 * Format: date-time
                 * @description The time at which the usage was found to have reached the threshold. Formatted as RFC 3339, in UTC.
                 * @example 2026-11-21T04:32:50.120000Z
                 */
                at: string;
            }[];
        };
        /**
         * ServerTrafficUpdate
         * @description The new traffic allowance of the server.
         */
        ServerTrafficUpdate: {
            /**
             * @description The traffic allowance, in bytes per calendar month (UTC). Null removes the limit. It applies to the current month, too.
             * @example 1000000000000
             */
            allowance: number | null;
        };
        /**
         * ServerUpdate
         * @description The fields to change. Fields that are omitted are not changed.
         */
        ServerUpdate: {
            /**
             * @description The host name of the server (RFC 1123). It cannot be an IP address. If the project has `unique_names`, no other server of the project may have it. It cannot consist only of digits or have the form of a UUID, since both are read as IDs. An operation also sets it inside the server: at once if it is running, and otherwise for its next start.
             * @example web-1
             */
            name?: string;
            /**
             * @description The labels to change, as a JSON Merge Patch (RFC 7396): a label that is given is added, or gets this value; a label whose value is null is removed; all others stay as they are. Null in the place of the object removes all labels. A server has at most 64 labels. A key consists of 1 to 63 letters, digits, hyphens, underscores and dots, with a letter or digit at both ends, optionally after a DNS name and a slash (`example.com/tier`). A value has the same form, without the DNS name, and may be empty. They are compared exactly, including case.
             * @example {
             *       "env": "prod",
             *       "old": null
             *     }
             */
            labels?: {
                [key: string]: string | null;
            } | null;
            /**
             * @description Notes about the server, for people, of at most 2000 characters. They replace those that the server has.
             * @example Ask the web team before a restart.
             */
            notes?: string;
            /** @description The actions against which the server is protected, so that nobody carries them out by mistake. Whoever may carry them out can also end the protection. Fields that are omitted are not changed. */
            protection?: {
                /** @description Whether a delete of the server is refused with 409 `protected`. */
                delete?: boolean;
                /** @description Whether a rebuild of the server is refused with 409 `protected`. */
                rebuild?: boolean;
            };
        };
        /**
         * ServerUpdated
         * @description The server after the update. If its name has changed, `operation` sets the name inside the server. It is absent if there is nothing to do there.
         */
        ServerUpdated: {
            /**
             * @description The ID of the server.
             * @example 42
             */
            id: number;
            /**
             * @description The host name of the server: the `name` that it was created with, or was given later.
             * @example web-1
             */
            hostname: string;
            /**
             * @description The UUID of the server. It is unique across installations, and never changes.
             * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
             */
            uuid: string;
            /**
             * @description The state of the server. `creating`: it is being created or rebuilt. `started`: it is running. `stopped`: it is not running. `paused`: it is frozen. `deleting`: it is being deleted. `error`: it cannot be used, and `error` says why. While an operation is in progress, `GET /v1/servers/{id}/status` returns more.
             * @example started
             * @enum {string}
             */
            status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
            /**
             * @description The name of the node that the server is on.
             * @example node-1
             */
            node: string;
            /**
             * @description The name of the operating system of the server.
             * @example Debian 12
             */
            os: string;
            /** @description The cores, the memory and the disk of the server. */
            specifications: {
                /**
                 * @description The number of CPU cores.
                 * @example 2
                 */
                cpu: number;
                /**
                 * @description The amount of memory, in MiB.
                 * @example 2048
                 */
                ram: number;
                /**
                 * @description The disk size, in GiB.
                 * @example 20
                 */
                disk: number;
            };
            /**
             * @description The name of the size that the server was created with, or last resized to. Null if it has none, because the request gave `cpu`, `ram` and `disk` instead.
             * @example small
             */
            size: string | null;
            /** @description The IP addresses of the server. The primary one is the first. */
            ip_addresses: components["schemas"]["ServerAddress"][];
            usage: components["schemas"]["Usage"];
            /**
             * Format: date-time
             * @description The time at which the server was requested. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * @description The ID of the project that the server belongs to.
             * @example 1
             */
            project_id: number;
            /**
             * @description The ID of the location of the server.
             * @example 1
             */
            location_id: number;
            /**
             * @description The ID of the operating system of the server.
             * @example 1
             */
            os_id: number;
            /**
             * @description The ID of the size of the server. Null if it has none.
             * @example 1
             */
            size_id: number | null;
            /**
             * @description The anti-affinity group that the server was created with. Null if it is in none.
             * @example database
             */
            group: string | null;
            /**
             * @description The labels of the server: values by keys.
             * @example {
             *       "env": "prod",
             *       "team": "web"
             *     }
             */
            labels: {
                [key: string]: string;
            };
            /**
             * @description Notes about the server, for people. They may be empty.
             * @example Ask the web team before a restart.
             */
            notes: string;
            /** @description The actions against which the server is protected. */
            protection: {
                /** @description Whether a delete of the server is refused with 409 `protected`. */
                delete: boolean;
                /** @description Whether a rebuild of the server is refused with 409 `protected`. */
                rebuild: boolean;
            };
            /**
             * @description The error of the server, as human-readable text. Null if there is none.
             * @example The image could not be downloaded.
             */
            error: string | null;
            /** @description The outcome of the `initialCommands` of the server. */
            initial_commands: {
                /**
                 * @description The number of commands that the server was created, or last rebuilt, with.
                 * @example 3
                 */
                total: number;
                /**
                 * @description The number of commands that have ended with an exit status other than 0 so far. The server is usable all the same. `commands` of the operation that created it (`GET /v1/operations?server_id={id}&kind=create`) has the result of each.
                 * @example 1
                 */
                failed: number;
            };
            /** @description The SSH keys that the server was created, or last rebuilt, with: their names at that time. Keys that were added or removed in the server since are not known. */
            ssh_keys: {
                /**
                 * @description The name of the SSH key.
                 * @example laptop
                 */
                name: string;
                /**
                 * @description The SHA-256 fingerprint of the SSH key, as `ssh-keygen -l` shows it.
                 * @example SHA256:itJbxMIdu/F5NYka3+0BYb5/D7Hj7Akau6FHJElYW+Q
                 */
                fingerprint: string;
            }[];
            /** @description Whether the server was created, or last rebuilt, to accept passwords over SSH. */
            password_login: boolean;
            /** @description The suspension of the server by an administrator: it is stopped, and then can only be deleted. As long as it is still running, it can be stopped, too. Null unless it is suspended. */
            suspension: {
                /**
                 * @description Why an administrator suspended the server, as human-readable text.
                 * @example The invoice of November is overdue.
                 */
                reason: string;
                /**
                 * Format: date-time
                 * @description The time at which the server was suspended. Formatted as RFC 3339, in UTC.
                 * @example 2026-11-21T04:32:50.120000Z
                 */
                at: string;
            } | null;
            /** @description Why the current state of the server is unknown. The other fields show what was last known. Null while the node of the server answers. */
            unavailable: {
                /**
                 * @description Why the state of the server is unknown, as human-readable text.
                 * @example Its node node-1 does not answer.
                 */
                reason: string;
                /**
                 * Format: date-time
                 * @description The time since which the state has been unknown. Formatted as RFC 3339, in UTC.
                 * @example 2026-11-21T04:32:50.120000Z
                 */
                since: string;
            } | null;
            /**
             * @description The actions that the server accepts in its current state.
             * @example [
             *       "stop",
             *       "restart",
             *       "delete"
             *     ]
             */
            allowed_actions: ("start" | "stop" | "restart" | "pause" | "unpause" | "password" | "retry" | "rebuild" | "resize" | "delete")[];
            /**
             * @description Warnings about what the server does not get, such as an IPv4 address, and, with `Prefer: wait`, why its creation is being retried. Only present in the response to a request that creates a server, and only if there is a warning.
             * @example []
             */
            warnings?: string[];
            operation?: components["schemas"]["OperationOutcome"];
        };
        /**
         * ServerUpdatedEvent
         * @description Something about the server other than its `status` has changed.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "server.updated",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "server": {
         *           "id": 42,
         *           "uuid": "6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10",
         *           "hostname": "web-1",
         *           "status": "started",
         *           "error": null,
         *           "location_id": 1,
         *           "is_suspended": false,
         *           "specifications": {
         *             "cpu": 2,
         *             "ram": 2048,
         *             "disk": 20
         *           },
         *           "labels": {
         *             "env": "prod"
         *           }
         *         },
         *         "changed": [
         *           "hostname",
         *           "labels"
         *         ]
         *       }
         *     }
         */
        ServerUpdatedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. Something about the server other than its `status` has changed.
             * @example server.updated
             * @enum {string}
             */
            type: "server.updated";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The server as it was after the change. */
                server: {
                    /**
                     * @description The ID of the server.
                     * @example 42
                     */
                    id: number;
                    /**
                     * @description The UUID of the server.
                     * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
                     */
                    uuid: string;
                    /**
                     * @description The host name of the server.
                     * @example web-1
                     */
                    hostname: string;
                    /**
                     * @description The state of the server, as `status` of `GET /v1/servers/{id}`.
                     * @example started
                     * @enum {string}
                     */
                    status: "creating" | "started" | "stopped" | "paused" | "deleting" | "error";
                    /**
                     * @description The error of the server, as human-readable text. Null if there is none.
                     * @example The image could not be downloaded.
                     */
                    error: string | null;
                    /**
                     * @description The ID of the location of the server.
                     * @example 1
                     */
                    location_id: number;
                    /** @description Whether the server is suspended. */
                    is_suspended: boolean;
                    /** @description The cores, the memory and the disk of the server. */
                    specifications: {
                        /**
                         * @description The number of CPU cores.
                         * @example 2
                         */
                        cpu: number;
                        /**
                         * @description The amount of memory, in MiB.
                         * @example 2048
                         */
                        ram: number;
                        /**
                         * @description The disk size, in GiB.
                         * @example 20
                         */
                        disk: number;
                    };
                    /**
                     * @description The labels of the server: values by keys.
                     * @example {
                     *       "env": "prod"
                     *     }
                     */
                    labels: {
                        [key: string]: string;
                    };
                };
                /**
                 * @description What has changed: fields of `GET /v1/servers/{id}`, and `traffic_allowance` of its usage. The event has the new values of some of them.
                 * @example [
                 *       "hostname",
                 *       "labels"
                 *     ]
                 */
                changed: ("hostname" | "labels" | "notes" | "specifications" | "size" | "node" | "os" | "group" | "protection" | "suspension" | "traffic_allowance" | "initial_commands" | "ssh_keys" | "password_login" | "error")[];
            };
        };
        /**
         * Session
         * @description A session of a user: a browser in which they signed in.
         */
        Session: {
            /**
             * @description The ID of the session.
             * @example 12
             */
            id: number;
            /** @description Whether this is the session of the request. */
            is_current: boolean;
            /**
             * @description The IP address that the user signed in from.
             * @example 203.0.113.7
             */
            address: string;
            /**
             * @description The header `User-Agent` of the browser that the user signed in with.
             * @example Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0
             */
            user_agent: string;
            /**
             * Format: date-time
             * @description The time of the sign-in. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The time of the last request in the session, accurate to a minute. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            last_used_at: string;
            /**
             * Format: date-time
             * @description The time at which the session ends unless it is used before. Each use extends it to 12 hours, up to 30 days after the sign-in. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            expires_at: string;
        };
        /**
         * SessionConfirm
         * @description The proof of identity: either `password` or `passkey`.
         */
        SessionConfirm: {
            /**
             * @description The password of the user.
             * @example copper-lantern-Tuesday-otter
             */
            password?: string;
            passkey?: components["schemas"]["PasskeySignIn"];
        };
        /**
         * SessionConfirmed
         * @description The confirmation of the session.
         */
        SessionConfirmed: {
            /**
             * Format: date-time
             * @description The time until which the session needs no further confirmation. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            confirmed_until: string;
        };
        /**
         * SessionsEnded
         * @description The sessions that were ended, and the tokens that remain.
         */
        SessionsEnded: {
            /**
             * @description The number of sessions that were ended.
             * @example 2
             */
            ended: number;
            /**
             * @description The number of tokens of the user that are still valid, in all projects.
             * @example 0
             */
            tokens_left: number;
        };
        /**
         * Settings
         * @description The settings of the whole installation.
         */
        Settings: {
            /** @description The retention periods of records. Older records are removed within two hours. Extending a period does not bring back records that were removed. */
            retention: {
                /**
                 * @description How long entries of the audit log are kept, in months. They are removed by whole calendar months (UTC), so an entry may be kept for up to a month more. The default is 13.
                 * @example 13
                 */
                audit_months: number;
                /**
                 * @description How long an operation is kept after its end, in months. The default is 13.
                 * @example 13
                 */
                operations_months: number;
                /**
                 * @description How long the output of initial commands is kept after the end of their operation, in days, but no longer than the operation, and for a shorter time if the outputs of the project exceed its quota `outputs`. The default is 30.
                 * @example 30
                 */
                outputs_days: number;
            };
        };
        /**
         * SettingsUpdate
         * @description The settings to change. Settings that are omitted are not changed.
         */
        SettingsUpdate: {
            /** @description The retention periods of records. Older records are removed within two hours. Extending a period does not bring back records that were removed. */
            retention?: {
                /**
                 * @description How long entries of the audit log are kept, in months. They are removed by whole calendar months (UTC), so an entry may be kept for up to a month more. The default is 13.
                 * @example 13
                 */
                audit_months?: number;
                /**
                 * @description How long an operation is kept after its end, in months. The default is 13.
                 * @example 13
                 */
                operations_months?: number;
                /**
                 * @description How long the output of initial commands is kept after the end of their operation, in days, but no longer than the operation, and for a shorter time if the outputs of the project exceed its quota `outputs`. The default is 30.
                 * @example 30
                 */
                outputs_days?: number;
            };
        };
        /**
         * Setup
         * @description Whether the setup in the browser is open.
         */
        Setup: {
            /** @description Whether the first administrator can be made now with the code that `npm start` prints. */
            open: boolean;
        };
        /**
         * SetupComplete
         * @description The setup code, and the first administrator.
         */
        SetupComplete: {
            /**
             * @description The setup code that the last `npm start` printed, or the content of the file that it named. Upper and lower case, blanks and hyphens make no difference.
             * @example 7Q2M-K4ZD-9XRT-3HBN-5WCE
             */
            code: string;
            /**
             * @description The name of the user, as others see it.
             * @example Ada Lovelace
             */
            name: string;
            /**
             * @description The email address of the user. It must be unique; the comparison ignores the case of A to Z.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The new password. Passwords that are easy to guess are refused; four unusual words make a good password.
             * @example copper-lantern-Tuesday-otter
             */
            password: string;
        };
        /**
         * SignIn
         * @description The email address and the password of the user who signs in.
         */
        SignIn: {
            /**
             * @description The email address of the user.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The password of the user.
             * @example copper-lantern-Tuesday-otter
             */
            password: string;
        };
        /**
         * SignInMethods
         * @description How people can sign in, other than with a password.
         */
        SignInMethods: {
            /**
             * @description The origin of the pages on which passkeys and the OpenID provider can be used: that of `BERTH_PUBLIC_URL`.
             * @example https://berth.example.com
             */
            origin: string;
            /** @description Whether people can sign in with passkeys. Browsers have none for an `origin` with an IP address. */
            passkeys: boolean;
            /** @description The OpenID provider at which people can sign in. Null if there is none. */
            openid: {
                /**
                 * @description The name of the OpenID provider: `BERTH_OIDC_NAME`, or its host name.
                 * @example id.example.com
                 */
                name: string;
            } | null;
        };
        /**
         * Size
         * @description A size that servers can be created with and resized to, and what it costs.
         */
        Size: {
            /**
             * @description The ID of the size.
             * @example 1
             */
            id: number;
            /**
             * @description The name of the size. It is unique.
             * @example small
             */
            name: string;
            /**
             * @description A human-readable description. It may be empty.
             * @example For small websites
             */
            description: string;
            /**
             * @description The number of CPU cores.
             * @example 2
             */
            cpu: number;
            /**
             * @description The amount of memory, in MiB.
             * @example 2048
             */
            ram: number;
            /**
             * @description The disk size, in GiB.
             * @example 20
             */
            disk: number;
            /**
             * @description The traffic allowance of a server of this size, in bytes per calendar month (UTC). Null if servers get the `traffic_allowance` of their location.
             * @example 20000000000000
             */
            traffic_allowance: number | null;
            /** @description What a server of this size costs from now on. Null if it has no price. */
            price: {
                /**
                 * @description The price of an hour, as a decimal number in text. Hours count while the engine has the instance of the server, whether it runs or not.
                 * @example 0.0074
                 */
                hourly: string;
                /**
                 * @description The most that a server of this size costs in a calendar month (UTC), as a decimal number in text. Null if there is no such limit.
                 * @example 4.59
                 */
                monthly: string | null;
                /**
                 * @description The currency of the prices, as the code of ISO 4217.
                 * @example EUR
                 */
                currency: string;
            } | null;
            /** @description The IDs of the locations at which servers can get this size, without removed ones. Null if they can at all locations. */
            location_ids: number[] | null;
            /** @description Whether the size is out of use: no server can be created with it or resized to it. Servers that have it keep it. */
            deprecated: boolean;
            /**
             * Format: date-time
             * @description The time at which the size was created. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
        };
        /**
         * SizeCreate
         * @description The size to create.
         */
        SizeCreate: {
            /**
             * @description The name of the size. It must be unique. It cannot consist only of digits or have the form of a UUID, since both are read as IDs.
             * @example small
             */
            name: string;
            /**
             * @description A human-readable description. The default is an empty text.
             * @example For small websites
             */
            description?: string;
            /**
             * @description The number of CPU cores.
             * @example 2
             */
            cpu: number;
            /**
             * @description The amount of memory, in MiB.
             * @example 2048
             */
            ram: number;
            /**
             * @description The disk size, in GiB.
             * @example 20
             */
            disk: number;
            /**
             * @description The traffic allowance of a server of this size, in bytes per calendar month (UTC). With null, which is the default, servers get the `traffic_allowance` of their location. Servers that have the size keep their allowance.
             * @example 20000000000000
             */
            traffic_allowance?: number | null;
            /** @description What a server of this size costs, from now on: hours before keep the price that they had. With null, which is the default, it has no price. */
            price?: {
                /**
                 * @description The price of an hour, as a decimal number in text. Hours count while the engine has the instance of the server, whether it runs or not.
                 * @example 0.0074
                 */
                hourly: string;
                /**
                 * @description The most that a server of this size costs in a calendar month (UTC), as a decimal number in text. It cannot be less than `hourly`. With null, which is the default, there is no such limit.
                 * @example 4.59
                 */
                monthly?: string | null;
                /**
                 * @description The currency of the prices, as the code of ISO 4217.
                 * @example EUR
                 */
                currency: string;
            } | null;
            /**
             * @description The locations at which servers can get this size. With null, which is the default, they can at all locations. Servers that have the size keep it.
             * @example [
             *       1,
             *       "local"
             *     ]
             */
            location_ids?: (number | string)[] | null;
        };
        /**
         * SizeReference
         * @description The ID or name of a size. Text of only digits is taken as the ID, and any other text as the name. If several objects have this name, the response is 409 `ambiguous_name`.
         * @example 1
         * @example small
         */
        SizeReference: string | number;
        /**
         * SizeUpdate
         * @description The fields to change. Fields that are omitted are not changed. The cores, the memory and the disk of a size never change, because servers have them: create another size, and deprecate this one.
         */
        SizeUpdate: {
            /**
             * @description The name of the size. It must be unique. It cannot consist only of digits or have the form of a UUID, since both are read as IDs.
             * @example small
             */
            name?: string;
            /**
             * @description A human-readable description. The default is an empty text.
             * @example For small websites
             */
            description?: string;
            /**
             * @description The traffic allowance of a server of this size, in bytes per calendar month (UTC). With null, which is the default, servers get the `traffic_allowance` of their location. Servers that have the size keep their allowance.
             * @example 20000000000000
             */
            traffic_allowance?: number | null;
            /** @description What a server of this size costs, from now on: hours before keep the price that they had. With null, which is the default, it has no price. */
            price?: {
                /**
                 * @description The price of an hour, as a decimal number in text. Hours count while the engine has the instance of the server, whether it runs or not.
                 * @example 0.0074
                 */
                hourly: string;
                /**
                 * @description The most that a server of this size costs in a calendar month (UTC), as a decimal number in text. It cannot be less than `hourly`. With null, which is the default, there is no such limit.
                 * @example 4.59
                 */
                monthly?: string | null;
                /**
                 * @description The currency of the prices, as the code of ISO 4217.
                 * @example EUR
                 */
                currency: string;
            } | null;
            /**
             * @description The locations at which servers can get this size. With null, which is the default, they can at all locations. Servers that have the size keep it.
             * @example [
             *       1,
             *       "local"
             *     ]
             */
            location_ids?: (number | string)[] | null;
            /**
             * @description Whether the size is out of use: no server can be created with it or resized to it. Servers that have it keep it.
             * @example true
             */
            deprecated?: boolean;
        };
        /**
         * SshKey
         * @description A public key of SSH, with which people log in to servers as `root`.
         */
        SshKey: {
            /**
             * @description The ID of the SSH key.
             * @example 5
             */
            id: number;
            /**
             * @description The name of the SSH key.
             * @example laptop
             */
            name: string;
            /**
             * @description The SHA-256 fingerprint of the SSH key, as `ssh-keygen -l` shows it.
             * @example SHA256:itJbxMIdu/F5NYka3+0BYb5/D7Hj7Akau6FHJElYW+Q
             */
            fingerprint: string;
            /**
             * @description The public key, as a line of `authorized_keys`: its type, the key in base64, and its comment if it has one.
             * @example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBJ3F1zyPrqeW65SXy0v0RsrI9ef8qPOgRwKJGnw0vVS ada@laptop
             */
            public_key: string;
            /**
             * @description The ID of the project that the SSH key belongs to.
             * @example 1
             */
            project_id: number;
            /**
             * Format: date-time
             * @description The time at which the SSH key was created. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
        };
        /**
         * SshKeyCreate
         * @description The SSH key to create.
         */
        SshKeyCreate: {
            /**
             * @description The name of the SSH key. It must be unique in the project; the comparison ignores case. It cannot consist only of digits or have the form of a UUID, since both are read as IDs.
             * @example laptop
             */
            name: string;
            /**
             * @description The public key in the format of OpenSSH, of at most 8192 characters: the content of a file like `~/.ssh/id_ed25519.pub`. Its type is Ed25519, ECDSA, RSA with at least 2048 bits, or Ed25519 or ECDSA on a security key (`sk-…`). The project cannot have the same key twice.
             * @example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBJ3F1zyPrqeW65SXy0v0RsrI9ef8qPOgRwKJGnw0vVS ada@laptop
             */
            public_key: string;
        };
        /**
         * SshKeyReference
         * @description The ID or name of an SSH key. Text of only digits is taken as the ID, and any other text as the name. If several objects have this name, the response is 409 `ambiguous_name`.
         * @example 1
         * @example laptop
         */
        SshKeyReference: string | number;
        /**
         * SshKeyUpdate
         * @description The fields to change. To replace a public key, create another SSH key.
         */
        SshKeyUpdate: {
            /**
             * @description The name of the SSH key. It must be unique in the project; the comparison ignores case. It cannot consist only of digits or have the form of a UUID, since both are read as IDs.
             * @example laptop
             */
            name?: string;
        };
        /**
         * Statement
         * @description The resources and traffic that the servers of a project used in a calendar month.
         */
        Statement: {
            /**
             * @description The ID of the project.
             * @example 1
             */
            project_id: number;
            /**
             * @description The calendar month of the statement, in UTC.
             * @example 2026-11
             */
            month: string;
            /**
             * Format: date-time
             * @description The beginning of the month. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description The end of the month, or the present time during the month. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            to: string;
            /** @description Whether the statement is final: the month is over, all usage has been counted, and no figure will change. Use only final statements for bills. */
            is_final: boolean;
            /** @description The usage of each server that existed in this month, including deleted ones, sorted by ID. */
            servers: components["schemas"]["StatementServer"][];
            /** @description What all servers together cost in this month, in each currency: the sums of their `prices`. */
            prices: {
                /**
                 * @description The currency, as the code of ISO 4217.
                 * @example EUR
                 */
                currency: string;
                /**
                 * @description The sum of the charges in this currency. It is a decimal number in text.
                 * @example 3.8456
                 */
                amount: string;
            }[];
        };
        /**
         * StatementCharge
         * @description What one size of a server costs at one price.
         */
        StatementCharge: {
            /**
             * @description The ID of the size.
             * @example 1
             */
            size_id: number;
            /**
             * @description The name of the size, as it is now, or was when the size was deleted.
             * @example small
             */
            size: string;
            /**
             * @description The currency, as the code of ISO 4217.
             * @example EUR
             */
            currency: string;
            /**
             * @description The price of an hour. It is a decimal number in text.
             * @example 0.0074
             */
            price_hourly: string;
            /**
             * @description The most that a server of this size costs in a month. Null if there is no such limit. It is a decimal number in text.
             * @example 4.59
             */
            price_monthly: string | null;
            /**
             * @description The hours of this month in which the server had this size, and the size had this price.
             * @example 519.675676
             */
            hours: number;
            /**
             * @description What these hours cost: `hours` multiplied by `price_hourly`, rounded to six decimals. They cost less, or nothing, once this size has cost the server its `price_monthly` in this month. It is a decimal number in text.
             * @example 3.8456
             */
            amount: string;
        };
        /**
         * StatementServer
         * @description The usage of one server in a month.
         */
        StatementServer: {
            /**
             * @description The ID of the server.
             * @example 42
             */
            server_id: number;
            /**
             * @description The UUID of the server.
             * @example 6f1c0b6e-3d39-4f0e-9a44-0d5c8e2b7a10
             */
            uuid: string;
            /**
             * @description The host name of the server.
             * @example web-1
             */
            hostname: string;
            /**
             * @description The ID of the location of the server.
             * @example 1
             */
            location_id: number;
            /**
             * Format: date-time
             * @description The time at which the server was requested. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The time at which the server ceased to exist. Null while it exists. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            deleted_at: string | null;
            /**
             * @description The hours of this month in which the instance of the server existed.
             * @example 720
             */
            hours: number;
            /**
             * @description The hours of this month in which the server was running.
             * @example 700.5
             */
            hours_running: number;
            /**
             * @description The CPU cores of the server, multiplied by the hours it was running.
             * @example 1401
             */
            core_hours: number;
            /**
             * @description The memory of the server in GiB, multiplied by the hours it was running.
             * @example 1401
             */
            ram_gb_hours: number;
            /**
             * @description The disk size of the server in GiB, multiplied by `hours`.
             * @example 14400
             */
            disk_gb_hours: number;
            /**
             * @description The traffic that the server received in this month, in bytes.
             * @example 734003200
             */
            bytes_in: number;
            /**
             * @description The traffic that the server sent in this month, in bytes.
             * @example 734003200
             */
            bytes_out: number;
            /**
             * @description The labels of the server as they are now, or were when it was deleted. In the CSV file, they are separated by spaces: `env=prod team=web`.
             * @example {
             *       "env": "prod",
             *       "team": "web"
             *     }
             */
            labels: {
                [key: string]: string;
            };
            /**
             * @description The name of the size that the server has now, or had when it was deleted. Null if it has none.
             * @example small
             */
            size: string | null;
            /** @description What the server costs in this month, in each currency: the sums of `charges`. Empty if none of its hours has a price. In the CSV file, they are separated by spaces: `EUR=3.8456`. */
            prices: {
                /**
                 * @description The currency, as the code of ISO 4217.
                 * @example EUR
                 */
                currency: string;
                /**
                 * @description The sum of the charges in this currency. It is a decimal number in text.
                 * @example 3.8456
                 */
                amount: string;
            }[];
            /** @description What the server costs in this month, by size and price, in the order of time. The CSV file does not have them. */
            charges: components["schemas"]["StatementCharge"][];
        };
        /**
         * Token
         * @description A token, with which a program authenticates. Its secret is returned only when it is created.
         */
        Token: {
            /**
             * @description The ID of the token.
             * @example 3
             */
            id: number;
            /**
             * @description The name of the token.
             * @example backup script
             */
            name: string;
            /**
             * @description The ID of the project that the token gives access to.
             * @example 1
             */
            project_id: number;
            /** @description The scopes of the token: what it allows. */
            scopes: ("servers:read" | "servers:write" | "metrics:read" | "admin")[];
            /**
             * @description The ID of the user that the token belongs to. It never allows more than the user may do. Null if it belongs to no user.
             * @example 2
             */
            user_id: number | null;
            /**
             * @description The ID of the token that this token was created with. If that one is revoked or expires, so does this one. Null if it was created in a session or on the command line.
             * @example 7
             */
            parent_id: number | null;
            /** @description The networks that requests with the token may come from. If the list is empty, they may come from everywhere. */
            allowed_networks: string[];
            /**
             * Format: date-time
             * @description The time at which the token expires. Null if it does not expire. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description The time of the last request with the token, accurate to a minute. Null if there was none. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description The time at which the token was created. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
        };
        /**
         * TokenCreate
         * @description The token to create.
         */
        TokenCreate: {
            /**
             * @description The name of the token. It cannot consist only of digits or have the form of a UUID, since both are read as IDs.
             * @example backup script
             */
            name: string;
            /** @description The scopes of the token: what it allows. The caller must have each of them. */
            scopes: ("servers:read" | "servers:write" | "metrics:read" | "admin")[];
            /**
             * Format: date-time
             * @description The time at which the token expires. It cannot be later than the expiry of the token that makes the request, which is also the default. A token that is created in a session does not expire by default. Formatted as RFC 3339, in UTC or with an offset from it.
             * @example 2026-11-21T00:00:00Z
             * @example 2026-11-21T01:00:00+01:00
             */
            expires_at?: string;
            /** @description Up to 50 networks that requests with the token may come from. They must be within those of the token that makes the request, which are also the default. */
            allowed_networks?: string[];
        };
        /**
         * TokenReference
         * @description The ID or name of a token. Text of only digits is taken as the ID, and any other text as the name. If several objects have this name, the response is 409 `ambiguous_name`.
         * @example 1
         * @example deploy
         */
        TokenReference: string | number;
        /**
         * Usage
         * @description The resources that a server uses now.
         */
        Usage: {
            /**
             * @description The CPU usage, in percent of all cores of the server together: 100 means that all are busy. It is 0 while the server is stopped, and until it is read for the first time.
             * @example 12.5
             */
            cpu: number;
            /**
             * @description The memory in use, in MiB, without the page cache. It is 0 while the server is stopped, and until it is read for the first time.
             * @example 310.2
             */
            ram: number;
            /**
             * @description The disk space that the storage pool accounts to the server, in GiB. On btrfs, data of the image counts once the server has rewritten it, and data in a snapshot keeps counting. It is 0 until it is read for the first time.
             * @example 1.4
             */
            disk: number;
            /** @description The traffic of the server by calendar month (UTC). */
            traffic: {
                /** @description The traffic that the server received. */
                incoming: {
                    /**
                     * @description The traffic of the current calendar month (UTC), in bytes.
                     * @example 734003200
                     */
                    value: number;
                    /**
                     * @description The traffic of the previous calendar month (UTC), in bytes.
                     * @example 0
                     */
                    prev: number;
                    /** @description Whether traffic in this direction counts towards the allowance, and the allowance is used up. */
                    is_exceeded: boolean;
                };
                /** @description The traffic that the server sent. */
                outgoing: {
                    /**
                     * @description The traffic of the current calendar month (UTC), in bytes.
                     * @example 734003200
                     */
                    value: number;
                    /**
                     * @description The traffic of the previous calendar month (UTC), in bytes.
                     * @example 0
                     */
                    prev: number;
                    /** @description Whether traffic in this direction counts towards the allowance, and the allowance is used up. */
                    is_exceeded: boolean;
                };
                /**
                 * Format: date-time
                 * @description The time at which the traffic was last read. Null until the first time. Formatted as RFC 3339, in UTC.
                 * @example 2026-11-21T04:32:50.120000Z
                 */
                read_at: string | null;
                /** @description Whether the traffic may be out of date: because the server was never read, as while it is being created, because it is running and was not read for 60 seconds, or because its node cannot be reached. */
                is_stale: boolean;
            };
            /**
             * Format: date-time
             * @description The time at which `cpu` and `ram` were last read. Null until the first time. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            read_at: string | null;
            /** @description Whether `cpu` and `ram` may be out of date: because the server was never read, as while it is being created, because it is running and was not read for 60 seconds, or because its node cannot be reached. */
            is_stale: boolean;
            /**
             * Format: date-time
             * @description The time at which `disk` was last read. Null until the first time, and if the storage pool does not report it. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            disk_read_at: string | null;
            /** @description Whether `disk` may be out of date: because the server was never read, as while it is being created, because it is running and was not read for 60 seconds, or because its node cannot be reached. */
            is_disk_stale: boolean;
        };
        /**
         * UsageAllowanceReachedEvent
         * @description A server has used 80 or 100 percent of its traffic allowance of a month.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "usage.allowance_reached",
         *       "project_id": 1,
         *       "server_id": 42,
         *       "data": {
         *         "percent": 80,
         *         "allowance": 1000000000000,
         *         "month": "2026-11"
         *       }
         *     }
         */
        UsageAllowanceReachedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. A server has used 80 or 100 percent of its traffic allowance of a month.
             * @example usage.allowance_reached
             * @enum {string}
             */
            type: "usage.allowance_reached";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /**
                 * @description How much of the allowance is used, in percent: 80 or 100.
                 * @example 80
                 */
                percent: number;
                /**
                 * @description The allowance of the server at that time, in bytes a month.
                 * @example 1000000000000
                 */
                allowance: number | null;
                /**
                 * @description The calendar month (UTC).
                 * @example 2026-11
                 */
                month: string;
            };
        };
        /**
         * UsageHistory
         * @description The resources that a server used over time, in steps of the same length.
         */
        UsageHistory: {
            /**
             * Format: date-time
             * @description The beginning of the first step. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description The end of the last step. It is later than now while the last step is not over. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            to: string;
            /**
             * @description The length of a step, in seconds.
             * @example 300
             */
            step: number;
            /** @description The beginnings of all steps, in order. */
            times: string[];
            /** @description The values, one series for each metric. */
            series: components["schemas"]["UsageSeries"][];
        };
        /**
         * UsageSeries
         * @description The values of one metric.
         */
        UsageSeries: {
            /**
             * @description The name of the metric.
             * @example cpu
             * @enum {string}
             */
            metric: "cpu" | "ram" | "disk" | "traffic_in" | "traffic_out" | "disk_read" | "disk_write";
            /**
             * @description The unit of the values. `percent`: the mean CPU usage, in percent of all cores of the server together. `MiB` and `GiB`: the mean memory and disk space in use. `bytes`: the sum of what was transferred in each step.
             * @example percent
             * @enum {string}
             */
            unit: "percent" | "MiB" | "GiB" | "bytes";
            /**
             * @description One value for each of `times`, in the same order.
             * @example [
             *       12.5,
             *       null,
             *       13.1
             *     ]
             */
            values: (number | null)[];
        };
        /**
         * User
         * @description A person who can sign in.
         */
        User: {
            /**
             * @description The ID of the user.
             * @example 2
             */
            id: number;
            /**
             * @description The email address of the user.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The name of the user. It may be empty.
             * @example Ada Lovelace
             */
            name: string;
            /** @description Whether the user is an administrator, who may do everything in all projects. */
            is_admin: boolean;
            /** @description Whether the user has a password, with which they can sign in. */
            has_password: boolean;
            /** @description Whether the user can sign in. The tokens of a user who is not enabled are refused. */
            enabled: boolean;
            /**
             * @deprecated
             * @description Deprecated since 1.0.0-rc.1: use `enabled`, which is the opposite.
             */
            is_disabled: boolean;
            /**
             * Format: date-time
             * @description The time at which the user was added. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
        };
        /**
         * UserCreate
         * @description The user to add. A user without a password signs in at the OpenID provider of the installation.
         */
        UserCreate: {
            /**
             * @description The email address of the user. It must be unique; the comparison ignores the case of A to Z.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The name of the user, as others see it.
             * @example Ada Lovelace
             */
            name?: string;
            /**
             * @description The new password. Passwords that are easy to guess are refused; four unusual words make a good password.
             * @example copper-lantern-Tuesday-otter
             */
            password?: string;
            /**
             * @description Whether the user is an administrator, who may do everything in all projects. The default for a new user is `false`.
             * @example false
             */
            is_admin?: boolean;
        };
        /**
         * UserReference
         * @description The ID or email address of a user. Text of only digits is taken as the ID, and any other text as the email address.
         * @example 1
         * @example ada@example.com
         */
        UserReference: string | number;
        /**
         * UserUpdate
         * @description The fields to change. Fields that are omitted are not changed.
         */
        UserUpdate: {
            /**
             * @description The email address of the user. It must be unique; the comparison ignores the case of A to Z.
             * @example ada@example.com
             */
            email?: string;
            /**
             * @description The name of the user, as others see it.
             * @example Ada Lovelace
             */
            name?: string;
            /**
             * @description The new password. Passwords that are easy to guess are refused; four unusual words make a good password.
             * @example copper-lantern-Tuesday-otter
             */
            password?: string;
            /**
             * @description Whether the user is an administrator, who may do everything in all projects. The default for a new user is `false`.
             * @example false
             */
            is_admin?: boolean;
            /**
             * @description Whether the user can sign in. If it is `false`, their sessions end, and their tokens are refused.
             * @example false
             */
            enabled?: boolean;
            /**
             * @deprecated
             * @description Deprecated since 1.0.0-rc.1: use `enabled`, which is the opposite.
             * @example true
             */
            is_disabled?: boolean;
        };
        /**
         * Version
         * @description The release of Berth that this service runs.
         */
        Version: {
            /**
             * @description The release of Berth, by Semantic Versioning.
             * @example 1.0.0-rc.1
             */
            version: string;
            /**
             * @description The Git commit that the service was built from. Null if it runs neither from a release nor from a Git clone.
             * @example 0c7f2f1f6d7c8b8f3a9f0a6f1c5d2e4b7a9c0d1e
             */
            commit: string | null;
            /**
             * @description The newest database migration of this release. During an upgrade the database may have a later one.
             * @example 0030-no-virtual-machines
             */
            schema: string;
        };
        /**
         * Webhook
         * @description A URL to which the events of a project are sent as they happen, signed as Standard Webhooks specifies.
         */
        Webhook: {
            /**
             * @description The ID of the webhook.
             * @example 4
             */
            id: number;
            /**
             * @description The name of the webhook.
             * @example deploy-bot
             */
            name: string;
            /**
             * @description The URL to which events are sent.
             * @example https://hooks.example.com/berth
             */
            url: string;
            /** @description The types of the events that are delivered. If the list is empty, events of all types are, including types that later releases add. */
            types: ("server.created" | "server.creating" | "server.started" | "server.stopped" | "server.paused" | "server.failed" | "server.deleting" | "server.deleted" | "server.updated" | "operation.created" | "operation.progress" | "operation.ended" | "usage.allowance_reached" | "webhook.paused")[];
            /**
             * @description Only events of servers whose labels at that time satisfy this selector are delivered. If it is empty, all are.
             * @example env=prod
             */
            label_selector: string;
            /** @description The names of the further headers of each delivery, whose values are secret. */
            header_names: string[];
            /** @description Whether events are to be delivered. */
            enabled: boolean;
            /**
             * @description The state of the webhook. `active`: events are delivered. `disabled`: `enabled` is `false`. `paused`: Berth has stopped delivering, and `paused_because` says why; `PATCH` with `enabled` as `true` resumes it. Events that happen while it is not active are not delivered, also not later.
             * @example active
             * @enum {string}
             */
            status: "active" | "disabled" | "paused";
            /**
             * @description Why the webhook was paused. `failing`: for 3 days, no attempt succeeded. `gone`: the receiver has responded with 410, which says that it is gone for good. Null unless it is paused.
             * @example failing
             * @enum {string|null}
             */
            paused_because: "failing" | "gone" | null;
            /**
             * Format: date-time
             * @description The time at which the webhook was paused. Null unless it is paused. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            paused_at: string | null;
            /**
             * Format: date-time
             * @description The time of the first failed attempt since the last success. Null if the last attempt succeeded, or if there was none. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description The time of the last successful attempt. Null if there was none. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            last_success_at: string | null;
            /**
             * Format: date-time
             * @description Until when deliveries are also signed with the former secret. Null if there is no such secret. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            former_secret_valid_until: string | null;
            /**
             * @description The ID of the project that the webhook belongs to.
             * @example 1
             */
            project_id: number;
            /**
             * Format: date-time
             * @description The time at which the webhook was created. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
        };
        /**
         * WebhookCreate
         * @description The webhook to create.
         */
        WebhookCreate: {
            /**
             * @description The name of the webhook. It must be unique in the project; the comparison ignores case. It cannot consist only of digits or have the form of a UUID, since both are read as IDs.
             * @example deploy-bot
             */
            name: string;
            /**
             * @description The URL to which events are sent: `https`, without user name, password and fragment, of at most 2048 characters, on port 443 or 80, or from 1024 on. It cannot be on an address that is private, or of this installation, which is checked again for each delivery.
             * @example https://hooks.example.com/berth
             */
            url: string;
            /**
             * @description The types of the events to deliver. By default, and if the list is empty, events of all types are delivered.
             * @example [
             *       "server.started",
             *       "server.stopped"
             *     ]
             */
            types?: ("server.created" | "server.creating" | "server.started" | "server.stopped" | "server.paused" | "server.failed" | "server.deleting" | "server.deleted" | "server.updated" | "operation.created" | "operation.progress" | "operation.ended" | "usage.allowance_reached" | "webhook.paused")[];
            /**
             * @description Deliver only events of servers whose labels at that time satisfy this selector. By default it is empty, and selects all events.
             * @example env=prod
             */
            label_selector?: string;
            /**
             * @description Up to 10 further headers of each delivery: values by names, such as `Authorization`. They are stored encrypted, and no response contains the values. Headers that belong to HTTP or to the signature cannot be set.
             * @example {
             *       "authorization": "Bearer 5f2a"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /** @description Whether to deliver events. The default is `true`. */
            enabled?: boolean;
        };
        /**
         * WebhookDelivery
         * @description An event that is sent to a webhook, or a test, with its last attempt.
         */
        WebhookDelivery: {
            /**
             * @description The ID of the delivery.
             * @example 312
             */
            id: number;
            /**
             * @description The ID of the webhook.
             * @example 4
             */
            webhook_id: number;
            /**
             * @description The header `webhook-id`. It is the same for all attempts and redeliveries of an event, so that receivers can recognise what they already have.
             * @example event_1024_1763699570120
             */
            message_id: string;
            /**
             * @description The ID of the event. Null for a test.
             * @example 1024
             */
            event_id: number | null;
            /**
             * @description The type of the event, or `webhook.test` for a test.
             * @example server.started
             * @enum {string}
             */
            type: "server.created" | "server.creating" | "server.started" | "server.stopped" | "server.paused" | "server.failed" | "server.deleting" | "server.deleted" | "server.updated" | "operation.created" | "operation.progress" | "operation.ended" | "usage.allowance_reached" | "webhook.paused" | "webhook.test";
            /**
             * @description The state of the delivery. `pending`: it is attempted, or will be. `delivered`: the receiver has responded with a status from 200 to 299. `failed`: it did not within 24 hours, or at the only attempt of a test.
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /**
             * @description The number of attempts that began.
             * @example 1
             */
            attempts: number;
            /**
             * Format: date-time
             * @description The time of the next attempt. While an attempt is under way, it is when it would be taken as lost. Null unless the delivery is pending. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description The time at which the last attempt began. Null if there was none. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            attempted_at: string | null;
            /**
             * @description How long the last attempt took, in milliseconds. Null if it has not ended, or if there was none.
             * @example 120
             */
            duration_ms: number | null;
            /**
             * @description The HTTP status code of the response to the last attempt. Null if there was no response.
             * @example 200
             */
            response_status: number | null;
            /**
             * @description The first 1024 bytes of the response to the last attempt, as text. Null if there was no response.
             * @example ok
             */
            response_excerpt: string | null;
            /** @description Why the last attempt failed. Null if it succeeded, has not ended, or if there was none. */
            error: {
                /**
                 * @description Why the attempt failed, for programs.
                 * @example bad_status
                 * @enum {string}
                 */
                reason: "address_refused" | "name_unresolvable" | "connection_failed" | "tls_failed" | "timeout" | "redirect" | "bad_status" | "event_gone" | "secrets_unreadable";
                /**
                 * @description Why the attempt failed, as human-readable text.
                 * @example The receiver responded with the status 500.
                 */
                detail: string;
            } | null;
            /**
             * @description The ID of the delivery that this one repeats on request. Null if it is no redelivery.
             * @example 311
             */
            redelivery_of: number | null;
            /**
             * Format: date-time
             * @description The time at which the delivery was recorded. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            created_at: string;
        };
        /**
         * WebhookDeliveryId
         * @description The ID of a delivery, in digits.
         * @example 1
         */
        WebhookDeliveryId: string | number;
        /**
         * WebhookPausedEvent
         * @description Berth has stopped delivering to a webhook, because its receiver fails. Other webhooks get this event.
         * @example {
         *       "id": 1024,
         *       "at": "2026-11-21T04:32:50.120000Z",
         *       "type": "webhook.paused",
         *       "project_id": 1,
         *       "server_id": null,
         *       "data": {
         *         "webhook": {
         *           "id": 4,
         *           "name": "deploy-bot",
         *           "paused_because": "failing"
         *         }
         *       }
         *     }
         */
        WebhookPausedEvent: {
            /**
             * @description The ID of the event. Events are listed and sent in the order of their IDs, in which none appears after a later one was listed or sent. IDs have gaps.
             * @example 1024
             */
            id: number;
            /**
             * @description The type of the event. Berth has stopped delivering to a webhook, because its receiver fails. Other webhooks get this event.
             * @example webhook.paused
             * @enum {string}
             */
            type: "webhook.paused";
            /**
             * Format: date-time
             * @description The time of the change that the event is about. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            at: string;
            /**
             * @description The ID of the project. Null for an event of a node.
             * @example 1
             */
            project_id: number | null;
            /**
             * @description The ID of the server. Null for an event of a node or a webhook.
             * @example 42
             */
            server_id: number | null;
            /** @description What the event is about. */
            data: {
                /** @description The webhook as it was after the change. */
                webhook: {
                    /**
                     * @description The ID of the webhook.
                     * @example 4
                     */
                    id: number;
                    /**
                     * @description The name of the webhook.
                     * @example deploy-bot
                     */
                    name: string;
                    /**
                     * @description Why it was paused, as `paused_because` of `GET /v1/webhooks/{id}`.
                     * @example failing
                     * @enum {string}
                     */
                    paused_because: "failing" | "gone";
                };
            };
        };
        /**
         * WebhookReference
         * @description The ID or name of a webhook. Text of only digits is taken as the ID, and any other text as the name. If several objects have this name, the response is 409 `ambiguous_name`.
         * @example 1
         * @example deploy-bot
         */
        WebhookReference: string | number;
        /**
         * WebhookUpdate
         * @description The fields to change.
         */
        WebhookUpdate: {
            /**
             * @description The name of the webhook. It must be unique in the project; the comparison ignores case. It cannot consist only of digits or have the form of a UUID, since both are read as IDs.
             * @example deploy-bot
             */
            name?: string;
            /**
             * @description The URL to which events are sent: `https`, without user name, password and fragment, of at most 2048 characters, on port 443 or 80, or from 1024 on. It cannot be on an address that is private, or of this installation, which is checked again for each delivery.
             * @example https://hooks.example.com/berth
             */
            url?: string;
            /**
             * @description The types of the events to deliver. By default, and if the list is empty, events of all types are delivered.
             * @example [
             *       "server.started",
             *       "server.stopped"
             *     ]
             */
            types?: ("server.created" | "server.creating" | "server.started" | "server.stopped" | "server.paused" | "server.failed" | "server.deleting" | "server.deleted" | "server.updated" | "operation.created" | "operation.progress" | "operation.ended" | "usage.allowance_reached" | "webhook.paused")[];
            /**
             * @description Deliver only events of servers whose labels at that time satisfy this selector. By default it is empty, and selects all events.
             * @example env=prod
             */
            label_selector?: string;
            /**
             * @description Up to 10 further headers of each delivery: values by names, such as `Authorization`. They are stored encrypted, and no response contains the values. Headers that belong to HTTP or to the signature cannot be set. They replace all previous ones.
             * @example {
             *       "authorization": "Bearer 5f2a"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /** @description Whether to deliver events. `true` also resumes a paused webhook, and its pending deliveries are attempted again. */
            enabled?: boolean;
        };
        /**
         * Whoami
         * @description The token or session of the request, and what it allows.
         */
        Whoami: {
            /**
             * @description The ID of the token. Null if the request is made in a session.
             * @example 3
             */
            token_id: number | null;
            /** @description The user who signed in, or to whom the token belongs. Null if it belongs to no user. */
            user: {
                /**
                 * @description The ID of the user.
                 * @example 2
                 */
                id: number;
                /**
                 * @description The email address of the user.
                 * @example ada@example.com
                 */
                email: string;
                /**
                 * @description The name of the user. It may be empty.
                 * @example Ada Lovelace
                 */
                name: string;
                /** @description Whether the user is an administrator, who may do everything in all projects. */
                is_admin: boolean;
            } | null;
            /** @description The project that the request is about. */
            project: {
                /**
                 * @description The ID of the project.
                 * @example 1
                 */
                id: number;
                /**
                 * @description The name of the project.
                 * @example default
                 */
                name: string;
            };
            /** @description What the token or the session allows. */
            scopes: ("servers:read" | "servers:write" | "metrics:read" | "admin")[];
            /**
             * Format: date-time
             * @description The time at which the token expires. Null if it does not expire. Formatted as RFC 3339, in UTC.
             * @example 2026-11-21T04:32:50.120000Z
             */
            expires_at: string | null;
            /** @description The networks that requests with the token may come from. If the list is empty, they may come from everywhere. */
            allowed_networks: string[];
            /**
             * @description The IP address that the request came from.
             * @example 203.0.113.7
             */
            address: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    metrics_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All metrics. docs/metrics.md explains each one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text": string;
                    "text/plain": string;
                };
            };
        };
    };
    server_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description The field to sort by, in ascending order. A leading `-` sorts in descending order. The default is `id`.
                 * @example -id
                 */
                sort?: "id" | "-id" | "hostname" | "-hostname" | "created_at" | "-created_at";
                /** @description Whether to return the servers of all projects. Only administrators can set this. The default is `false`. */
                all_projects?: boolean;
                /**
                 * @description Return only servers of this project. Only administrators can name a project other than their own. The value is the ID or name of a project. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                project_id?: (number | string)[];
                /**
                 * @description Return only servers whose host name begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
                /**
                 * @description Return only servers in this state. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "started"
                 *     ]
                 */
                status?: ("creating" | "started" | "stopped" | "paused" | "deleting" | "error")[];
                /**
                 * @description Return only servers at this location. The value is the ID or name of a location. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                location_id?: (number | string)[];
                /**
                 * @description Return only servers with this operating system. The value is the ID or `slug` of an operating system. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                os_id?: (number | string)[];
                /**
                 * @description Return only servers of this size. The value is the ID or name of a size. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                size?: (number | string)[];
                /**
                 * @description Return only servers of this anti-affinity group. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "database"
                 *     ]
                 */
                group?: string[];
                /**
                 * @description Return only servers whose labels satisfy this selector, in the syntax of Kubernetes: requirements, separated by commas, all of which must be satisfied. `env=prod` (or `==`), `env!=prod`, `env in (prod,test)`, `env notin (prod,test)`, `env` (has the label), `!env` (does not), `size>3`, `size<3`. `!=` and `notin` are also satisfied without the label, `>` and `<` only by whole numbers. An empty selector selects all servers.
                 * @example env in (prod,test),!old
                 */
                label_selector?: string;
                /**
                 * @description Return only servers on this node. The value is the ID or name of a node. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                node?: (number | string)[];
                /**
                 * @description Return only servers with this host name. The comparison ignores case. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "web-1"
                 *     ]
                 */
                hostname?: string[];
                /**
                 * @description Return only the server that has this IP address. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "10.84.1.17"
                 *     ]
                 */
                ip?: string[];
                /** @description Return only servers that were requested at or after this time. Formatted as RFC 3339, in UTC or with an offset from it. */
                from?: string;
                /** @description Return only servers that were requested before this time. Formatted as RFC 3339, in UTC or with an offset from it. */
                to?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"][];
                };
            };
        };
    };
    server_create: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The server to create. `name`, `location_id`, `os_id` and `initialCommands` are required, `password` unless `password_login` is `false`, and either `size`, or `cpu`, `ram` and `disk`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerCreate"];
            };
        };
        responses: {
            /** @description The new server, and the operation that creates it. The server is ready to use once `operation.status` is `succeeded`. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerCreated"];
                };
            };
        };
    };
    server_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A virtual server: a system container on a node of a location. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
        };
    };
    server_delete: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_update: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description The fields to change. Fields that are omitted are not changed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerUpdate"];
            };
        };
        responses: {
            /** @description The server after the update. If its name has changed, `operation` sets the name inside the server. It is absent if there is nothing to do there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerUpdated"];
                };
            };
        };
    };
    server_status: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of a server, and the progress of the operation on it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerStatus"];
                };
            };
        };
    };
    server_dry_run: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The server to create. `name`, `location_id`, `os_id` and `initialCommands` are required, `password` unless `password_login` is `false`, and either `size`, or `cpu`, `ram` and `disk`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerCreate"];
            };
        };
        responses: {
            /** @description The result that creating the server would have. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerDryRun"];
                };
            };
        };
    };
    server_start: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_restart: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_stop: {
        parameters: {
            query?: {
                /** @description Whether to cut the power of the server instead of shutting down its guest. The field `force` of the body does the same. One of them is enough; if both are sent, they must be equal. The default is `false`. */
                force?: boolean;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description How to stop the server. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ServerStop"];
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_pause: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_unpause: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_password: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description The password to set. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ServerPassword"];
            };
        };
        responses: {
            /** @description The request was accepted, and an operation sets the password. It is set once `operation.status` is `succeeded`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordAccepted"];
                };
            };
        };
    };
    server_suspend: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description Why to suspend the server. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerSuspend"];
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_unsuspend: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_move: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description Where to move the server. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ServerMove"];
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_retry: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_rebuild: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description The operating system of the rebuilt server, how `root` logs in to it, its user data and its initial commands. `erase` and `initialCommands` are required, and `password` unless `password_login` is `false`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerRebuild"];
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_resize: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description The new size of the server: `size`, or at least one of `cpu`, `ram` and `disk`. Of these, what is omitted stays as it is. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerResize"];
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    server_bulk_action: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description An action, and the servers on which to carry it out: those of `ids`, or those that `label_selector` selects. One of the two is required. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkAction"];
            };
        };
        responses: {
            /** @description For which servers an action was accepted. Each of them has an operation of its own, to poll with `GET /v1/operations/{id}`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAnswer"];
                };
            };
        };
    };
    server_console: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Where to open the console of a server. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Console"];
                };
            };
        };
    };
    server_usage: {
        parameters: {
            query?: {
                /** @description The beginning of the history, which is rounded down to the beginning of a step. The default is 24 hours before `to`. Formatted as RFC 3339, in UTC or with an offset from it. */
                from?: string;
                /** @description The end of the history, which is rounded up to the end of a step. The default is now. Formatted as RFC 3339, in UTC or with an offset from it. */
                to?: string;
                /**
                 * @description The length of a step, for which there is one value each: a number of seconds, or a number followed by `s`, `m`, `h` or `d`. It must be a multiple of 15 seconds. The default is chosen to give at most 500 steps.
                 * @example 5m
                 */
                step?: string;
                /**
                 * @description The metrics to return. The default is all of them. Separate several values with commas.
                 * @example [
                 *       "cpu"
                 *     ]
                 */
                metrics?: ("cpu" | "ram" | "disk" | "traffic_in" | "traffic_out" | "disk_read" | "disk_write")[];
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The resources that a server used over time, in steps of the same length. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageHistory"];
                };
            };
        };
    };
    server_traffic: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The traffic of a server in this month, and its traffic allowance. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerTraffic"];
                };
            };
        };
    };
    server_traffic_update: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID, name or UUID of the server. */
                id: components["schemas"]["ServerReference"];
            };
            cookie?: never;
        };
        /** @description The new traffic allowance of the server. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerTrafficUpdate"];
            };
        };
        responses: {
            /** @description The traffic of a server in this month, and its traffic allowance. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerTraffic"];
                };
            };
        };
    };
    ssh_key_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only SSH keys whose name begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshKey"][];
                };
            };
        };
    };
    ssh_key_create: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The SSH key to create. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SshKeyCreate"];
            };
        };
        responses: {
            /** @description A public key of SSH, with which people log in to servers as `root`. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshKey"];
                };
            };
        };
    };
    ssh_key_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or name of the SSH key. */
                id: components["schemas"]["SshKeyReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A public key of SSH, with which people log in to servers as `root`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshKey"];
                };
            };
        };
    };
    ssh_key_delete: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the SSH key. */
                id: components["schemas"]["SshKeyReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A public key of SSH, with which people log in to servers as `root`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshKey"];
                };
            };
        };
    };
    ssh_key_update: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the SSH key. */
                id: components["schemas"]["SshKeyReference"];
            };
            cookie?: never;
        };
        /** @description The fields to change. To replace a public key, create another SSH key. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SshKeyUpdate"];
            };
        };
        responses: {
            /** @description A public key of SSH, with which people log in to servers as `root`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SshKey"];
                };
            };
        };
    };
    operation_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description The field to sort by, in ascending order. A leading `-` sorts in descending order. The default is `id`.
                 * @example -id
                 */
                sort?: "id" | "-id" | "created_at" | "-created_at";
                /** @description Whether to return the operations of all projects. Only administrators can set this. The default is `false`. */
                all_projects?: boolean;
                /**
                 * @description Return only operations of this project. Only administrators can name a project other than their own. The value is the ID or name of a project. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                project_id?: (number | string)[];
                /**
                 * @description Return only operations on this server. A server that no longer exists is found only by its ID or UUID. The value is the ID, name or UUID of a server. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                server_id?: (number | string)[];
                /**
                 * @description Return only operations in this state. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "running"
                 *     ]
                 */
                status?: ("pending" | "running" | "succeeded" | "failed" | "superseded" | "cancelled")[];
                /**
                 * @description Return only operations of this kind. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "create"
                 *     ]
                 */
                kind?: ("create" | "start" | "stop" | "restart" | "pause" | "unpause" | "set_password" | "resize" | "delete" | "suspend" | "unsuspend" | "move" | "rename" | "repair" | "adopt" | "evacuate" | "restore" | "declare_lost")[];
                /**
                 * @description Return only operations on existing servers whose present labels satisfy this selector, in the syntax of Kubernetes: requirements, separated by commas, all of which must be satisfied. `env=prod` (or `==`), `env!=prod`, `env in (prod,test)`, `env notin (prod,test)`, `env` (has the label), `!env` (does not), `size>3`, `size<3`. `!=` and `notin` are also satisfied without the label, `>` and `<` only by whole numbers. An empty selector selects all operations.
                 * @example env in (prod,test),!old
                 */
                label_selector?: string;
                /** @description Return only operations that were requested at or after this time. Formatted as RFC 3339, in UTC or with an offset from it. */
                from?: string;
                /** @description Return only operations that were requested before this time. Formatted as RFC 3339, in UTC or with an offset from it. */
                to?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"][];
                };
            };
        };
    };
    operation_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /**
                 * @description The ID of the operation.
                 * @example 1
                 */
                id: components["schemas"]["OperationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A change to a server or a node that takes time: what was requested, its progress and its outcome. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
        };
    };
    operation_command_output: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /**
                 * @description The ID of the operation.
                 * @example 1
                 */
                id: components["schemas"]["OperationId"];
                /**
                 * @description The position of the command in `commands` of the operation, counted from 0.
                 * @example 0
                 */
                index: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The last 4 KiB of the output of the command. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    operation_cancel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The ID of the operation.
                 * @example 1
                 */
                id: components["schemas"]["OperationId"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description A change to a server or a node that takes time: what was requested, its progress and its outcome. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
        };
    };
    event_list: {
        parameters: {
            query?: {
                /**
                 * @description Return only events after the one with this ID, which need not exist. 0 returns all that are kept. A stream begins after it; the header `Last-Event-ID` takes precedence.
                 * @example 1024
                 */
                after?: number;
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only events of this type. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "server.started"
                 *     ]
                 */
                type?: ("server.created" | "server.creating" | "server.started" | "server.stopped" | "server.paused" | "server.failed" | "server.deleting" | "server.deleted" | "server.updated" | "operation.created" | "operation.progress" | "operation.ended" | "usage.allowance_reached" | "webhook.paused" | "node.online" | "node.offline" | "node.evacuated" | "node.cordoned" | "node.gone" | "node.lost")[];
                /**
                 * @description Return only events of this server. A server that no longer exists is found only by its ID or UUID. The value is the ID, name or UUID of a server. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                server_id?: (number | string)[];
                /**
                 * @description Return only events of servers whose labels at that time satisfy this selector, in the syntax of Kubernetes: requirements, separated by commas, all of which must be satisfied. `env=prod` (or `==`), `env!=prod`, `env in (prod,test)`, `env notin (prod,test)`, `env` (has the label), `!env` (does not), `size>3`, `size<3`. `!=` and `notin` are also satisfied without the label, `>` and `<` only by whole numbers. An empty selector selects all events.
                 * @example env in (prod,test),!old
                 */
                label_selector?: string;
                /**
                 * @description Return only events of this project. Only administrators can name a project other than their own. The value is the ID or name of a project. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                project_id?: (number | string)[];
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
                /**
                 * @description For a stream: the `id` of the last event that was received. The stream begins after it. It takes precedence over `after`.
                 * @example 1024
                 */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A list of events, or a stream whose `data` are events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"][];
                    "text/event-stream": string;
                };
            };
        };
    };
    webhook_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only webhooks whose name begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
        };
    };
    webhook_create: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The webhook to create. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookCreate"];
            };
        };
        responses: {
            /** @description The webhook with its new secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhookSecret"];
                };
            };
        };
    };
    webhook_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or name of the webhook. */
                id: components["schemas"]["WebhookReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A URL to which the events of a project are sent as they happen, signed as Standard Webhooks specifies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    webhook_delete: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the webhook. */
                id: components["schemas"]["WebhookReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A URL to which the events of a project are sent as they happen, signed as Standard Webhooks specifies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    webhook_update: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the webhook. */
                id: components["schemas"]["WebhookReference"];
            };
            cookie?: never;
        };
        /** @description The fields to change. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookUpdate"];
            };
        };
        responses: {
            /** @description A URL to which the events of a project are sent as they happen, signed as Standard Webhooks specifies. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    webhook_rotate_secret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the webhook. */
                id: components["schemas"]["WebhookReference"];
            };
            cookie?: never;
        };
        /** @description How long the former secret stays in use. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SecretRotation"];
            };
        };
        responses: {
            /** @description The webhook with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhookSecret"];
                };
            };
        };
    };
    webhook_delivery_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description The field to sort by, in ascending order. A leading `-` sorts in descending order. The default is `id`.
                 * @example -id
                 */
                sort?: "id" | "-id";
                /**
                 * @description Return only deliveries in this state. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "failed"
                 *     ]
                 */
                status?: ("pending" | "delivered" | "failed")[];
                /**
                 * @description Return only deliveries of this event, by its ID. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1024
                 *     ]
                 */
                event_id?: number[];
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID or name of the webhook. */
                id: components["schemas"]["WebhookReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"][];
                };
            };
        };
    };
    webhook_delivery_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or name of the webhook. */
                id: components["schemas"]["WebhookReference"];
                /**
                 * @description The ID of the delivery.
                 * @example 1
                 */
                delivery_id: components["schemas"]["WebhookDeliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An event that is sent to a webhook, or a test, with its last attempt. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    webhook_test: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the webhook. */
                id: components["schemas"]["WebhookReference"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description An event that is sent to a webhook, or a test, with its last attempt. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    webhook_delivery_redeliver: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description For a stream: the `id` of the last event that was received. The stream begins after it. It takes precedence over `after`.
                 * @example 1024
                 */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description The ID or name of the webhook. */
                id: components["schemas"]["WebhookReference"];
                /**
                 * @description The ID of the delivery.
                 * @example 1
                 */
                delivery_id: components["schemas"]["WebhookDeliveryId"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description An event that is sent to a webhook, or a test, with its last attempt. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    location_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only locations whose name begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
                /** @description Return only locations where servers can be created (`true`), or only those where they cannot (`false`). */
                enabled?: boolean;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"][];
                };
            };
        };
    };
    location_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or name of the location. */
                id: components["schemas"]["LocationReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A place where servers run: an Incus server or cluster, called the engine of the location. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
        };
    };
    location_update: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the location. */
                id: components["schemas"]["LocationReference"];
            };
            cookie?: never;
        };
        /** @description The fields to change. Fields that are omitted are not changed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocationUpdate"];
            };
        };
        responses: {
            /** @description A place where servers run: an Incus server or cluster, called the engine of the location. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
        };
    };
    node_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only nodes whose name begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
                /**
                 * @description Return only nodes of this location. The value is the ID or name of a location. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                location_id?: (number | string)[];
                /**
                 * @description Return only nodes with this status. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "online"
                 *     ]
                 */
                status?: ("online" | "offline" | "evacuated" | "cordoned" | "gone" | "lost")[];
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"][];
                };
            };
        };
    };
    node_view: {
        parameters: {
            query?: {
                /** @description The location of the node. It is needed if nodes of several locations have this name. The value is the ID or name of a location. */
                location_id?: number | string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /**
                 * @description The name of the node.
                 * @example node-1
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A machine that runs servers: a member of an Incus cluster, or a single Incus server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
        };
    };
    node_cordon: {
        parameters: {
            query?: {
                /** @description The location of the node. It is needed if nodes of several locations have this name. The value is the ID or name of a location. */
                location_id?: number | string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The name of the node.
                 * @example node-1
                 */
                name: string;
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description A machine that runs servers: a member of an Incus cluster, or a single Incus server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
        };
    };
    node_uncordon: {
        parameters: {
            query?: {
                /** @description The location of the node. It is needed if nodes of several locations have this name. The value is the ID or name of a location. */
                location_id?: number | string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The name of the node.
                 * @example node-1
                 */
                name: string;
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description A machine that runs servers: a member of an Incus cluster, or a single Incus server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
        };
    };
    node_evacuate: {
        parameters: {
            query?: {
                /** @description The location of the node. It is needed if nodes of several locations have this name. The value is the ID or name of a location. */
                location_id?: number | string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The name of the node.
                 * @example node-1
                 */
                name: string;
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    node_restore: {
        parameters: {
            query?: {
                /** @description The location of the node. It is needed if nodes of several locations have this name. The value is the ID or name of a location. */
                location_id?: number | string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The name of the node.
                 * @example node-1
                 */
                name: string;
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    node_declare_lost: {
        parameters: {
            query?: {
                /** @description The location of the node. It is needed if nodes of several locations have this name. The value is the ID or name of a location. */
                location_id?: number | string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The name of the node.
                 * @example node-1
                 */
                name: string;
            };
            cookie?: never;
        };
        /** @description The confirmation that the node is lost. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeDeclareLost"];
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    drift_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only drift records whose instance begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
                /**
                 * @description Return only drift of this kind. The default is all kinds but `foreign_instance`, which is returned only if it is given. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "changed"
                 *     ]
                 */
                kind?: ("changed" | "missing_instance" | "unknown_instance" | "foreign_instance")[];
                /**
                 * @description Return only drift at this location. The value is the ID or name of a location. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                location_id?: (number | string)[];
                /**
                 * @description Return only drift of this server. The value is the ID, name or UUID of a server. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                server_id?: (number | string)[];
                /** @description Whether to return only forgotten drift (`true`), or only drift that is not forgotten (`false`). The default is `false`. */
                forgotten?: boolean;
                /** @description Return only drift records that were first seen at or after this time. Formatted as RFC 3339, in UTC or with an offset from it. */
                from?: string;
                /** @description Return only drift records that were first seen before this time. Formatted as RFC 3339, in UTC or with an offset from it. */
                to?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Drift"][];
                };
            };
        };
    };
    drift_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /**
                 * @description The ID of the drift record.
                 * @example 1
                 */
                id: components["schemas"]["DriftId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A lasting difference between the records of Berth and an Incus, which somebody has made by hand. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Drift"];
                };
            };
        };
    };
    drift_adopt: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The ID of the drift record.
                 * @example 1
                 */
                id: components["schemas"]["DriftId"];
            };
            cookie?: never;
        };
        /** @description What the server of an adopted instance is to be like. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DriftAdopt"];
            };
        };
        responses: {
            /** @description The request was accepted, and an operation adopts the instance. It is done once `operation.status` is `succeeded`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DriftAdopted"];
                };
            };
        };
    };
    drift_repair: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
                /**
                 * @description With `wait=N`, the response waits up to N seconds, at most 75, until the operation has ended. By default it comes at once.
                 * @example wait=30
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description The ID of the drift record.
                 * @example 1
                 */
                id: components["schemas"]["DriftId"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The request was accepted, and an operation carries it out. It is done once `operation.status` is `succeeded`. Unless the response already says so, poll `GET /v1/operations/{id}`. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    drift_forget: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The ID of the drift record.
                 * @example 1
                 */
                id: components["schemas"]["DriftId"];
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description A lasting difference between the records of Berth and an Incus, which somebody has made by hand. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Drift"];
                };
            };
        };
    };
    operating_system_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only operating systems whose `slug` begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
                /** @description Return only operating systems that servers can be created with (`true`), or only the others (`false`). */
                enabled?: boolean;
                /**
                 * @description Return only operating systems of this type. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "container"
                 *     ]
                 */
                type?: ("container" | "virtual-machine")[];
                /**
                 * @description Return only operating systems for this processor architecture. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "x86_64"
                 *     ]
                 */
                architecture?: ("x86_64" | "aarch64")[];
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatingSystem"][];
                };
            };
        };
    };
    operating_system_create: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The operating system to add. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatingSystemCreate"];
            };
        };
        responses: {
            /** @description An operating system that servers can be created with. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatingSystem"];
                };
            };
        };
    };
    operating_system_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or `slug` of the operating system. */
                id: components["schemas"]["OperatingSystemReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An operating system that servers can be created with. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatingSystem"];
                };
            };
        };
    };
    operating_system_update: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or `slug` of the operating system. */
                id: components["schemas"]["OperatingSystemReference"];
            };
            cookie?: never;
        };
        /** @description The fields to change. Fields that are omitted are not changed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatingSystemUpdate"];
            };
        };
        responses: {
            /** @description An operating system that servers can be created with. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatingSystem"];
                };
            };
        };
    };
    image_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only the image at this location. The value is the ID or name of a location. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                location_id?: (number | string)[];
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID or `slug` of the operating system. */
                id: components["schemas"]["OperatingSystemReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Image"][];
                };
            };
        };
    };
    image_import: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or `slug` of the operating system. */
                id: components["schemas"]["OperatingSystemReference"];
            };
            cookie?: never;
        };
        /** @description The location to import the image to. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImageImport"];
            };
        };
        responses: {
            /** @description The image of an operating system at a location. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Image"];
                };
            };
        };
    };
    size_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only sizes whose name begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
                /**
                 * @description Return only sizes that servers can get at this location. The value is the ID or name of a location. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                location_id?: (number | string)[];
                /** @description Return only sizes that are out of use (`true`), or only the others (`false`). */
                deprecated?: boolean;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Size"][];
                };
            };
        };
    };
    size_create: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The size to create. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SizeCreate"];
            };
        };
        responses: {
            /** @description A size that servers can be created with and resized to, and what it costs. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Size"];
                };
            };
        };
    };
    size_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or name of the size. */
                id: components["schemas"]["SizeReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A size that servers can be created with and resized to, and what it costs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Size"];
                };
            };
        };
    };
    size_delete: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the size. */
                id: components["schemas"]["SizeReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A size that servers can be created with and resized to, and what it costs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Size"];
                };
            };
        };
    };
    size_update: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the size. */
                id: components["schemas"]["SizeReference"];
            };
            cookie?: never;
        };
        /** @description The fields to change. Fields that are omitted are not changed. The cores, the memory and the disk of a size never change, because servers have them: create another size, and deprecate this one. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SizeUpdate"];
            };
        };
        responses: {
            /** @description A size that servers can be created with and resized to, and what it costs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Size"];
                };
            };
        };
    };
    address_pool_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only address pools of this location. The value is the ID or name of a location. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                location_id?: (number | string)[];
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddressPool"][];
                };
            };
        };
    };
    address_pool_create: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The address pool to add to a location. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddressPoolCreate"];
            };
        };
        responses: {
            /** @description A range of IPv4 or IPv6 addresses that are assigned to the servers of a location. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddressPool"];
                };
            };
        };
    };
    address_pool_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /**
                 * @description The ID of the address pool.
                 * @example 1
                 */
                id: components["schemas"]["AddressPoolId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A range of IPv4 or IPv6 addresses that are assigned to the servers of a location. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddressPool"];
                };
            };
        };
    };
    address_pool_delete: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The ID of the address pool.
                 * @example 1
                 */
                id: components["schemas"]["AddressPoolId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A range of IPv4 or IPv6 addresses that are assigned to the servers of a location. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddressPool"];
                };
            };
        };
    };
    address_pool_update: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The ID of the address pool.
                 * @example 1
                 */
                id: components["schemas"]["AddressPoolId"];
            };
            cookie?: never;
        };
        /** @description The fields to change. Fields that are omitted are not changed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddressPoolUpdate"];
            };
        };
        responses: {
            /** @description A range of IPv4 or IPv6 addresses that are assigned to the servers of a location. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddressPool"];
                };
            };
        };
    };
    project_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only projects whose name begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
                /** @description Whether to return deleted projects as well. Their statements can still be retrieved. Only administrators can set this. The default is `false`. */
                include_deleted?: boolean;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"][];
                };
            };
        };
    };
    project_create: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The project to create. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectCreate"];
            };
        };
        responses: {
            /** @description The owner of servers, tokens and their history. Projects are isolated from each other: no request with the token of one project shows anything of another. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    project_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or name of the project. */
                id: components["schemas"]["ProjectReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The owner of servers, tokens and their history. Projects are isolated from each other: no request with the token of one project shows anything of another. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    project_delete: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the project. */
                id: components["schemas"]["ProjectReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The owner of servers, tokens and their history. Projects are isolated from each other: no request with the token of one project shows anything of another. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    project_update: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the project. */
                id: components["schemas"]["ProjectReference"];
            };
            cookie?: never;
        };
        /** @description The fields to change. Fields that are omitted are not changed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectUpdate"];
            };
        };
        responses: {
            /** @description The owner of servers, tokens and their history. Projects are isolated from each other: no request with the token of one project shows anything of another. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    project_quota: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or name of the project. */
                id: components["schemas"]["ProjectReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits of a project, and how much of each is in use. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectQuota"];
                };
            };
        };
    };
    project_statement: {
        parameters: {
            query?: {
                /**
                 * @description The calendar month (UTC) of the statement. The default is the current month.
                 * @example 2026-11
                 */
                month?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or name of the project. */
                id: components["schemas"]["ProjectReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The resources and traffic that the servers of a project used in a calendar month. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                };
            };
        };
    };
    project_statement_csv: {
        parameters: {
            query?: {
                /**
                 * @description The calendar month (UTC) of the statement. The default is the current month.
                 * @example 2026-11
                 */
                month?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or name of the project. */
                id: components["schemas"]["ProjectReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One line for each server. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    member_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only users whose email address or name begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path: {
                /** @description The ID or name of the project. */
                id: components["schemas"]["ProjectReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"][];
                };
            };
        };
    };
    member_add: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the project. */
                id: components["schemas"]["ProjectReference"];
            };
            cookie?: never;
        };
        /** @description The user to add to the project, and their role. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberAdd"];
            };
        };
        responses: {
            /** @description The membership of a user in a project. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    member_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or name of the project. */
                id: components["schemas"]["ProjectReference"];
                /** @description The ID or email address of the member. */
                user_id: components["schemas"]["MemberReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The membership of a user in a project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    member_set: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the project. */
                id: components["schemas"]["ProjectReference"];
                /** @description The ID or email address of the member. */
                user_id: components["schemas"]["MemberReference"];
            };
            cookie?: never;
        };
        /** @description The new role of the member. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberUpdate"];
            };
        };
        responses: {
            /** @description The membership of a user in a project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    member_remove: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the project. */
                id: components["schemas"]["ProjectReference"];
                /** @description The ID or email address of the member. */
                user_id: components["schemas"]["MemberReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The membership of a user in a project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    whoami: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token or session of the request, and what it allows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whoami"];
                };
            };
        };
    };
    token_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only tokens whose name begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"][];
                };
            };
        };
    };
    token_create: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The token to create. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenCreate"];
            };
        };
        responses: {
            /** @description The new token, with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewToken"];
                };
            };
        };
    };
    token_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or name of the token. */
                id: components["schemas"]["TokenReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A token, with which a program authenticates. Its secret is returned only when it is created. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
        };
    };
    token_revoke: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or name of the token. */
                id: components["schemas"]["TokenReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token that was revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedToken"];
                };
            };
        };
    };
    device_authorization_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The program that asks for a token. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceAuthorizationCreate"];
            };
        };
        responses: {
            /** @description The codes with which a program gets a token from a person (RFC 8628). */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceAuthorization"];
                };
            };
        };
    };
    device_authorization_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The secret of the program that asks for a token. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceTokenRequest"];
            };
        };
        responses: {
            /** @description The token that a person has approved. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceToken"];
                };
            };
        };
    };
    device_authorization_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /**
                 * @description The code that the person compares or enters. Upper and lower case, blanks and hyphens make no difference.
                 * @example WDJB-MJHT
                 */
                user_code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A program that waits for a token, which nobody has approved or denied yet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingAuthorization"];
                };
            };
        };
    };
    device_authorization_approve: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The code that the person compares or enters. Upper and lower case, blanks and hyphens make no difference.
                 * @example WDJB-MJHT
                 */
                user_code: string;
            };
            cookie?: never;
        };
        /** @description What the token of the program allows. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceApproval"];
            };
        };
        responses: {
            /** @description A token, with which a program authenticates. Its secret is returned only when it is created. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
        };
    };
    device_authorization_deny: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The code that the person compares or enters. Upper and lower case, blanks and hyphens make no difference.
                 * @example WDJB-MJHT
                 */
                user_code: string;
            };
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description A program that waits for a token, which nobody has approved or denied yet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingAuthorization"];
                };
            };
        };
    };
    setup_view: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the setup in the browser is open. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Setup"];
                };
            };
        };
    };
    setup_complete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The setup code, and the first administrator. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetupComplete"];
            };
        };
        responses: {
            /** @description The session of the request: the user who signed in, and their projects. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
        };
    };
    session_view: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session of the request: the user who signed in, and their projects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
        };
    };
    session_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The email address and the password of the user who signs in. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description The session of the request: the user who signed in, and their projects. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
        };
    };
    session_delete: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions that were ended, and the tokens that remain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsEnded"];
                };
            };
        };
    };
    session_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
            };
            header?: {
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
        };
    };
    session_delete_all: {
        parameters: {
            query?: {
                /** @description Whether to revoke all tokens of the user in all projects as well, with the tokens that were created with them. The default is `false`. */
                tokens?: boolean;
            };
            header?: {
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions that were ended, and the tokens that remain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsEnded"];
                };
            };
        };
    };
    password_change: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The current and the new password of the user. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description The sessions that were ended, and the tokens that remain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsEnded"];
                };
            };
        };
    };
    session_confirm: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The proof of identity: either `password` or `passkey`. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionConfirm"];
            };
        };
        responses: {
            /** @description The confirmation of the session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionConfirmed"];
                };
            };
        };
    };
    session_methods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How people can sign in, other than with a password. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
        };
    };
    session_oidc_callback: {
        parameters: {
            query?: {
                /**
                 * @description The value of `state` that was sent to the provider.
                 * @example af0ifjsldkj
                 */
                state?: string;
                /**
                 * @description The authorization code of the provider. Present if the sign-in succeeded there.
                 * @example SplxlOBeZQQYbYS6WxSbIA
                 */
                code?: string;
                /**
                 * @description The error of the provider. Present if the sign-in failed there.
                 * @example access_denied
                 */
                error?: string;
                /**
                 * @description The issuer identifier of the provider (RFC 9207).
                 * @example https://id.example.com
                 */
                iss?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser is redirected to the panel, where the user is signed in, or sees why not. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    session_oidc_begin: {
        parameters: {
            query?: {
                /**
                 * @description The path of the page of the panel to return to after the sign-in, with its query. The default is `/`.
                 * @example /servers/42
                 */
                return_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description A sign-in at the OpenID provider that was begun. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OidcBegin"];
                };
            };
        };
    };
    session_passkey_options: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The options of a sign-in with a passkey, for `PublicKeyCredential.parseRequestOptionsFromJSON` in the browser. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRequest"];
                };
            };
        };
    };
    session_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The credential that signed the challenge, as `toJSON()` of the `PublicKeyCredential` returns it in the browser. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeySignIn"];
            };
        };
        responses: {
            /** @description The session of the request: the user who signed in, and their projects. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSession"];
                };
            };
        };
    };
    passkey_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
            };
            header?: {
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"][];
                };
            };
        };
    };
    passkey_create: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The passkey to add. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyCreate"];
            };
        };
        responses: {
            /** @description A passkey (WebAuthn) that a user signs in with. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    passkey_delete: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The ID of the passkey.
                 * @example 1
                 */
                id: components["schemas"]["PasskeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A passkey (WebAuthn) that a user signs in with. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    passkey_options: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description This request has no fields. The body may be omitted. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The options of a new passkey, for `PublicKeyCredential.parseCreationOptionsFromJSON` in the browser. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyCreation"];
                };
            };
        };
    };
    user_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description Return only users whose email address or name begins with this text. The comparison ignores case.
                 * @example web
                 */
                q?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"][];
                };
            };
        };
    };
    user_create: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The user to add. A user without a password signs in at the OpenID provider of the installation. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserCreate"];
            };
        };
        responses: {
            /** @description A person who can sign in. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    user_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path: {
                /** @description The ID or email address of the user. */
                id: components["schemas"]["UserReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person who can sign in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    user_delete: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or email address of the user. */
                id: components["schemas"]["UserReference"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A person who can sign in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    user_update: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The ID or email address of the user. */
                id: components["schemas"]["UserReference"];
            };
            cookie?: never;
        };
        /** @description The fields to change. Fields that are omitted are not changed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserUpdate"];
            };
        };
        responses: {
            /** @description A person who can sign in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    audit_list: {
        parameters: {
            query?: {
                /**
                 * @description The maximum number of objects to return, from 1 to 1000. By default all of them are returned, as a stream.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The position at which the page begins, as the `Link` header of the previous page has it. By default the first page is returned.
                 * @example eyJ2IjoxMDB9
                 */
                cursor?: string;
                /**
                 * @description The field to sort by, in ascending order. A leading `-` sorts in descending order. The default is `id`.
                 * @example -id
                 */
                sort?: "id" | "-id";
                /**
                 * @description Return only entries with this action. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "server_delete"
                 *     ]
                 */
                action?: ("address_pool_create" | "address_pool_delete" | "address_pool_update" | "database_export" | "database_import" | "device_authorization_approve" | "device_authorization_create" | "device_authorization_deny" | "device_authorization_token" | "drift_adopt" | "drift_forget" | "drift_repair" | "image_import" | "initial_commands_failed" | "location_create" | "location_delete" | "location_update" | "member_add" | "member_remove" | "member_set" | "node_cordon" | "node_declare_lost" | "node_evacuate" | "node_restore" | "node_uncordon" | "operating_system_create" | "operating_system_update" | "operation_cancel" | "passkey_create" | "passkey_delete" | "passkey_options" | "password_change" | "project_create" | "project_delete" | "project_update" | "requests_refused" | "secret_key_rotate" | "server_bulk_action" | "server_console" | "server_create" | "server_delete" | "server_dry_run" | "server_move" | "server_password" | "server_pause" | "server_rebuild" | "server_resize" | "server_restart" | "server_retry" | "server_start" | "server_stop" | "server_suspend" | "server_traffic_update" | "server_unpause" | "server_unsuspend" | "server_update" | "session_confirm" | "session_create" | "session_delete" | "session_delete_all" | "session_oidc_begin" | "session_oidc_callback" | "session_passkey" | "session_passkey_options" | "settings_update" | "setup_complete" | "size_create" | "size_delete" | "size_update" | "ssh_key_create" | "ssh_key_delete" | "ssh_key_update" | "statement_correct" | "token_create" | "token_revoke" | "traffic_notice" | "traffic_throttle" | "user_create" | "user_delete" | "user_update" | "webhook_create" | "webhook_delete" | "webhook_delivery_redeliver" | "webhook_pause" | "webhook_rotate_secret" | "webhook_test" | "webhook_update")[];
                /**
                 * @description Return only requests with this token. The value is the ID or name of a token. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                token_id?: (number | string)[];
                /**
                 * @description Return only requests of this user or of their tokens. The value is the ID or email address of a user. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                user_id?: (number | string)[];
                /**
                 * @description Return only entries about objects of this kind. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "server"
                 *     ]
                 */
                target_kind?: ("project" | "token" | "ssh_key" | "webhook" | "user" | "server" | "location" | "node" | "operating_system" | "size" | "address_pool")[];
                /**
                 * @description Return only entries about this object. It requires exactly one `target_kind`. The list is empty for an ID that no entry is about. The value is its ID, or whatever else identifies an object of this kind. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       42
                 *     ]
                 */
                target_id?: (number | string)[];
                /**
                 * @description Return only the history of this project. Only administrators can name a project other than their own. The value is the ID or name of a project. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                project_id?: (number | string)[];
                /**
                 * @description Return only entries with this HTTP status code. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       403
                 *     ]
                 */
                status?: number[];
                /**
                 * @description Return only entries with this IP address: the last one, if an entry stands for several requests. Entries whose address is hidden from the caller do not match. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "203.0.113.7"
                 *     ]
                 */
                address?: string[];
                /**
                 * @description Return only the entries of this request, by its `X-Request-Id`. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "1c9f0d1e-52a4-4c35-a2a5-3f6f0f0b4f0a"
                 *     ]
                 */
                request_id?: string[];
                /** @description Return only entries that were recorded at or after this time. Formatted as RFC 3339, in UTC or with an offset from it. */
                from?: string;
                /** @description Return only entries that were recorded before this time. Formatted as RFC 3339, in UTC or with an offset from it. */
                to?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description With `count=exact`, the header `Total-Count` of the response has the number of objects on all pages.
                 * @example count=exact
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request succeeded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
        };
    };
    audit_export: {
        parameters: {
            query?: {
                /**
                 * @description Return only entries with this action. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "server_delete"
                 *     ]
                 */
                action?: ("address_pool_create" | "address_pool_delete" | "address_pool_update" | "database_export" | "database_import" | "device_authorization_approve" | "device_authorization_create" | "device_authorization_deny" | "device_authorization_token" | "drift_adopt" | "drift_forget" | "drift_repair" | "image_import" | "initial_commands_failed" | "location_create" | "location_delete" | "location_update" | "member_add" | "member_remove" | "member_set" | "node_cordon" | "node_declare_lost" | "node_evacuate" | "node_restore" | "node_uncordon" | "operating_system_create" | "operating_system_update" | "operation_cancel" | "passkey_create" | "passkey_delete" | "passkey_options" | "password_change" | "project_create" | "project_delete" | "project_update" | "requests_refused" | "secret_key_rotate" | "server_bulk_action" | "server_console" | "server_create" | "server_delete" | "server_dry_run" | "server_move" | "server_password" | "server_pause" | "server_rebuild" | "server_resize" | "server_restart" | "server_retry" | "server_start" | "server_stop" | "server_suspend" | "server_traffic_update" | "server_unpause" | "server_unsuspend" | "server_update" | "session_confirm" | "session_create" | "session_delete" | "session_delete_all" | "session_oidc_begin" | "session_oidc_callback" | "session_passkey" | "session_passkey_options" | "settings_update" | "setup_complete" | "size_create" | "size_delete" | "size_update" | "ssh_key_create" | "ssh_key_delete" | "ssh_key_update" | "statement_correct" | "token_create" | "token_revoke" | "traffic_notice" | "traffic_throttle" | "user_create" | "user_delete" | "user_update" | "webhook_create" | "webhook_delete" | "webhook_delivery_redeliver" | "webhook_pause" | "webhook_rotate_secret" | "webhook_test" | "webhook_update")[];
                /**
                 * @description Return only requests with this token. The value is the ID or name of a token. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                token_id?: (number | string)[];
                /**
                 * @description Return only requests of this user or of their tokens. The value is the ID or email address of a user. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                user_id?: (number | string)[];
                /**
                 * @description Return only entries about objects of this kind. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "server"
                 *     ]
                 */
                target_kind?: ("project" | "token" | "ssh_key" | "webhook" | "user" | "server" | "location" | "node" | "operating_system" | "size" | "address_pool")[];
                /**
                 * @description Return only entries about this object. It requires exactly one `target_kind`. The list is empty for an ID that no entry is about. The value is its ID, or whatever else identifies an object of this kind. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       42
                 *     ]
                 */
                target_id?: (number | string)[];
                /**
                 * @description Return only the history of this project. Only administrators can name a project other than their own. The value is the ID or name of a project. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       1
                 *     ]
                 */
                project_id?: (number | string)[];
                /**
                 * @description Return only entries with this HTTP status code. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       403
                 *     ]
                 */
                status?: number[];
                /**
                 * @description Return only entries with this IP address: the last one, if an entry stands for several requests. Entries whose address is hidden from the caller do not match. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "203.0.113.7"
                 *     ]
                 */
                address?: string[];
                /**
                 * @description Return only the entries of this request, by its `X-Request-Id`. Separate several values with commas; an object matches if any of them does.
                 * @example [
                 *       "1c9f0d1e-52a4-4c35-a2a5-3f6f0f0b4f0a"
                 *     ]
                 */
                request_id?: string[];
                /** @description Return only entries that were recorded at or after this time. Formatted as RFC 3339, in UTC or with an offset from it. */
                from?: string;
                /** @description Return only entries that were recorded before this time. Formatted as RFC 3339, in UTC or with an offset from it. */
                to?: string;
            };
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One entry on each line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["AuditEntry"];
                };
            };
        };
    };
    settings_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings of the whole installation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
        };
    };
    settings_update: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
                /**
                 * @description A key of your choice, of 1 to 255 printable ASCII characters without spaces, such as a UUID. It makes it safe to send the request again: for 24 hours, the same request with the same key gets the first response again.
                 * @example 4d1f6c1e-8f0a-4f4b-9f06-0f6f0f3c7a55
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The settings to change. Settings that are omitted are not changed. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingsUpdate"];
            };
        };
        responses: {
            /** @description The settings of the whole installation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
        };
    };
    health_view: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the service can handle requests, and the state of each of its components. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    health_ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the service can handle requests, and the state of each of its components. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    version_view: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ID or the name of the project that the request is about, for administrators and for users with several projects. By default it is the project of the token, or the first project of the user.
                 * @example web
                 */
                "Berth-Project"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The release of Berth that this service runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
        };
    };
}
