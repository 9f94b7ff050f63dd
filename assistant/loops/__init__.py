"""The loops of the daemon, one duty a file: watcher, worker, reconciler, notifier, supervision."""
