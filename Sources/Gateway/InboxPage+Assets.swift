extension InboxPage {
    static let html = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Inbox · Drawbridge</title>
        <link rel="stylesheet" href="/inbox/inbox.css">
        <script src="/inbox/inbox.js" defer></script>
        </head>
        <body>
        <header>
        <h1>Inbox</h1>
        <p>Mail and messages that would have been sent. They stay on this machine.</p>
        <label>Show only <input id="filter" type="search" placeholder="ada@example.com" autocomplete="off"></label>
        </header>
        <p id="state" role="status">Loading …</p>
        <main id="messages"></main>
        <noscript>
        <p>This page needs JavaScript; the same as JSON is at <a href="/inbox/messages">/inbox/messages</a>.</p>
        </noscript>
        </body>
        </html>

        """

    static let css = """
        :root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #2563eb; }
        * { box-sizing: border-box; }
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
        header { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; align-items: end; }
        h1 { margin: 0; font-size: 1.6rem; }
        header p { grid-column: 1; margin: 0 0 1rem; opacity: .75; }
        header label { grid-column: 2; grid-row: 1 / span 2; margin-bottom: 1rem; font-size: .9rem; }
        input { font: inherit; padding: .3rem .5rem; border: 1px solid var(--line); border-radius: .4rem;
          width: 14rem; }
        article { border: 1px solid var(--line); border-radius: .6rem; margin: 0 0 1rem; overflow: hidden; }
        article > header { display: block; padding: .8rem 1rem; background: var(--soft); }
        h2 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere; }
        .meta { margin: 0; font-size: .88rem; opacity: .8; overflow-wrap: anywhere; }
        .act { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; padding: .8rem 1rem; }
        .code { font: 600 1.3rem/1 ui-monospace, monospace; letter-spacing: .15em; padding: .45rem .7rem;
          border: 1px solid var(--line); border-radius: .4rem; background: none; color: inherit; cursor: pointer; }
        .code:focus-visible, .link:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        .link { display: inline-block; padding: .4rem .8rem; border-radius: .4rem; background: var(--accent);
          color: #fff; text-decoration: none; }
        .note { font-size: .85rem; opacity: .75; }
        details { border-top: 1px solid var(--line); }
        summary { padding: .5rem 1rem; cursor: pointer; font-size: .9rem; }
        iframe { display: block; width: 100%; height: 22rem; border: 0; border-top: 1px solid var(--line);
          background: #fff; }
        pre { margin: 0; padding: .8rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere;
          border-top: 1px solid var(--line); }
        @media (max-width: 40rem) { header { display: block; } header label { display: block; } }

        """

    /// Asks every two seconds and touches only what is new, so that nothing flickers and opened mails stay open.
    static let script = """
        "use strict";
        const list = document.getElementById("messages");
        const state = document.getElementById("state");
        const filter = document.getElementById("filter");
        const shown = new Map();
        let latest = 0;

        function element(name, properties, ...children) {
          const node = document.createElement(name);
          Object.assign(node, properties);
          node.append(...children);
          return node;
        }

        function isWebLink(link) {
          try { return ["http:", "https:"].includes(new URL(link).protocol); } catch { return false; }
        }

        function codeButton(code) {
          const button = element("button", { type: "button", className: "code", textContent: code, title: "Copy" });
          button.addEventListener("click", async () => {
            try {
              await navigator.clipboard.writeText(code);
              button.title = "Copied";
            } catch {
              getSelection().selectAllChildren(button);
            }
          });
          return button;
        }

        function body(message) {
          const summary = element("summary", { textContent: message.html ? "Message" : "Text" });
          const details = element("details", {}, summary);
          details.addEventListener("toggle", () => {
            if (!details.open || details.children.length > 1) return;
            if (message.html) {
              const frame = element("iframe", { title: message.subject });
              frame.setAttribute("sandbox", "allow-popups allow-popups-to-escape-sandbox");
              frame.srcdoc = '<base target="_blank">' + message.html;
              details.append(frame);
            } else {
              details.append(element("pre", { textContent: message.text }));
            }
          });
          return details;
        }

        function article(message) {
          const time = new Date(message.created_at);
          const head = element("header", {},
            element("h2", { textContent: message.subject || (message.channel === "sms" ? "SMS" : "(no subject)") }),
            element("p", { className: "meta", textContent: "to " + message.to +
              (message.from ? " from " + message.from : "") + ", " + time.toLocaleString() }));
          const act = element("div", { className: "act" });
          if (message.code) act.append(codeButton(message.code));
          if (message.link && isWebLink(message.link)) {
            act.append(element("a", { className: "link", href: message.link, target: "_blank",
              rel: "noreferrer noopener",
              textContent: "Open the link" }));
          }
          if (!message.code && !message.link) {
            act.append(element("span", { className: "note", textContent: message.text.slice(0, 300) }));
          }
          const node = element("article", {}, head, act, body(message));
          node.dataset.id = message.id;
          return node;
        }

        function show(messages) {
          const wanted = new Set(messages.map((message) => message.id));
          for (const [id, node] of shown) {
            if (!wanted.has(id)) { node.remove(); shown.delete(id); }
          }
          let place = list.firstElementChild;
          for (const message of messages) {
            let node = shown.get(message.id);
            if (!node) {
              node = article(message);
              shown.set(message.id, node);
              list.insertBefore(node, place);
            } else {
              place = node.nextElementSibling;
            }
          }
          state.hidden = messages.length > 0;
          state.textContent = filter.value.trim()
            ? "Nothing for that address." : "Nothing yet. New mail appears here by itself.";
        }

        async function refresh() {
          const turn = ++latest;
          const to = filter.value.trim();
          try {
            const query = to ? "?to=" + encodeURIComponent(to) : "";
            const answer = await fetch("/inbox/messages" + query, { cache: "no-store" });
            if (!answer.ok) throw new Error(answer.status);
            const messages = await answer.json();
            if (turn === latest) show(messages);
          } catch {
            if (turn === latest) { state.hidden = false; state.textContent = "The server does not answer."; }
          }
        }

        filter.addEventListener("input", refresh);
        refresh();
        setInterval(() => { if (!document.hidden) refresh(); }, 2000);
        document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });

        """
}
