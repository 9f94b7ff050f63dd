"""Portuguese phrases, of Portugal and Brazil; the notation is explained in lexicon.py."""

from typing import Final

from assistant.core.phrases.lexicon import Kind, Pack

_DAY: Final = "segunda|terça|quarta|quinta|sexta|sábado|domingo"
_MONTH: Final = (
    "janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro"
)
_GIVE: Final = (
    "confirm*|envi*|mand*|respond*|diga*|diz*|dizer*|inform*|indi*|avis*|ligu*|ligar*|liga|revis*|"
    "assin*|devolv*|esclare*|pass*|encaminh*|forne*|preench*|escrev*|ajud*|avali*|verifi*|reenvi*|"
    "escolh*|aprov*|autori*|retorn*|consider*|analis*|comuni*|remet*|deixa*|deixe*|faça*"
)

PACK: Final[Pack] = {
    Kind.REQUEST: f"""
        solicit*|pedimos|peço o|a envio|remessa|confirmação|resposta
        para sua|tua|a|vossa assinatura|aprovação|apreciação
        gostaria|gostava|queria|gostaríamos|queríamos ... comprar|reservar|encomendar|visitar|
        marcar|alugar|arrendar|inscrever|entrevistar|ver|agendar|pedir
        poderias|poderia|poderiam|podias|podia|podiam|gostarias|gostaria|importa|importas|
        importavas|importaria ... {_GIVE}|me|nos|se|de|que
        você|vocês|o|a senhor*? pode|podem|poderia|poderiam|consegue|conseguem|quer|querem|tem|
        têm|sabe|sabem ... {_GIVE}|me|nos|trazer|ver|fazer|cuidar|olhar
        ^ pode|podes|podem me|nos|lhe? {_GIVE}
        me|nos pode|podes|podem|poderia|diz|diga|digam|avise|avisa|avisem|envie|envia|enviem|
        mande|manda|confirme|confirma|ligue|liga|informe|passe|passa|responda|ajude|ajuda|retorne|
        fale / por favor|gentileza|obséquio ... {_GIVE} / {_GIVE} ... por favor|gentileza
        favor {_GIVE}
        peço|pedimos|solicito|solicitamos|pedia|pedíamos|rogo|venho ... que|de|o|a|seu|sua|vosso|
        vossa|uma|nos|lhe|confirm* ... _
        agradeço|agradecemos|agradecia|agradecíamos|agradeceria|agradeceríamos ... que|se|o|a|uma|
        desde ... {_GIVE}|resposta|retorno|confirmação|envio|contacto|informação|seu|vosso|sua|
        vossa
        preciso|precisamos|precisava|precisávamos|precisaria|necessito|necessitamos ... de|do|da|
        dos|das|que|saber ... _
        falta|faltam ... sua|seu|teu|tua|assinatura|documento*|resposta|confirmação|enviar|nos|me
        ^ diz|diga|digam|dizei|avisa|avise|avisem|envia|envie|enviem|manda|mande|mandem|confirma|
        confirme|confirmem|liga|ligue|liguem|passa|passe|responde|responda|informe|deixa|deixe|dá|
        dê|conta|conte|vê|veja me|nos|se|para|quando|qual|qualquer|o|a|lá
        diz|diga|avisa|avise|manda|mande|envia|envie|dá|dê|confirma|confirme|liga|ligue me|nos
        aguard*|esper* ... seu|sua|teu|tua|vosso|vossa|seus|suas|teus|tuas|comentários|retorno|
        resposta|confirmação|autorização|notícias|aprovação|contacto|contato|parecer|instruções
        fico|ficamos|fico|estou|estamos no|a|ao|à|na aguard*|espera|aguardo
        a|no aguardar|aguardo ... _ / à espera de|da|do
        sem a|o sua|seu|tua|teu|vossa|vosso autorização|aprovação|aval|resposta|confirmação|ok
        gostaria|gostava|gostaríamos|gostávamos|queria|queríamos|quero ... de? ... saber|
        perguntar|conhecer|marcar|agendar|conversar|falar|confirmar|pedir|ouvir|ter|entender|que
        que|o achas|acha|acham|pensas|pensa que|acha|achas|acham? / o que acha*|pens*|dizes|diz
        quando|qual|que|como|onde ... podes|pode|podem|preferes|prefere|dia|hora|te|lhe|vos ...
        + dá|convém|jeito|melhor|fica
        te|lhe|vos dá|convém|interessa|jeito|fica ... jeito|bem|melhor?
        dá te|lhe|vos|pra|para jeito|mim|você|ti?
        tenho|temos|tinha|teria uma|duas|algumas|umas|outra pergunta|perguntas|dúvida|dúvidas|
        questão|questões|favor|pedido / faz|faça|fazer|fazes|me|podes um|o favor
        seria|será|era possível|bom|ótimo|ideal|útil|ajuda ... se|que|para|enviar|me|nos
        ficaria|ficaríamos|ficava grat*|muito|feliz|agradecid* ... se|com
        ainda não ... recebemos|recebi|tivemos|tive|temos|tenho|obtivemos ... sua|seu|tua|teu|
        resposta|retorno|a|o|vossa|notícias|nada
        alguma|há|tem|tens novidade*|notícia*|retorno|posição
        se puder*|pudesse*|pode|podes|conseguir*|der|tiver* ... _
        se não se? importar|importa|for
        tua|teu|sua|seu|vossa|vosso opinião|parecer|aprovação|confirmação|resposta|autorização|
        decisão|ok|aval|assinatura|retorno|feedback ... sobre|para|antes|até|quanto|em|e
        gostaria|gostava do|da|de seu|sua|teu|tua
        ^ tens|tem|têm|podes|pode|podem|queres|quer|querem|consegues|consegue|conseguem|sabes|
        sabe|sabem|vens|vais|achas|preferes|estás _ / me diz|diga|fala|avisa
    """,
    Kind.ACT: """
        não funciona|abre|chegou|carrega / mensagem de erro / ainda não chegou|recebi
        por favor|gentileza _ / favor _ / queira|queiram _ / não esqueça*|esqueças|se ... esqueça*
        lembre*|lembra te|se|de|que / tens|tem|têm que|de _
        deves|deve|devem|deverá|deverão|devias|deveria|deveríamos _ / vamos _
    """,
    Kind.QUESTION: """
        não sei|sabemos|lembro|entendi|percebi se|quando|onde|como|o|quem|qual
        pergunto|perguntava|pergunta|perguntamos me|se|nos ... se|quando|como?
        não faço|fazemos|tenho ideia
        ^ quando|onde|como|quanto|quantos|quantas|qual|quais|quem|porque|por|que é|está|estão|são|
        há|posso|podemos|tenho|temos|vai|vais|vens|queres|horas|dia|devo|fica
    """,
    Kind.COURTESY: """
        não hesite*|hesites|deixe*|exite* em|de? contactar*|contatar*|ligar*|escrever*|perguntar*|
        entrar*|em|de?
        qualquer|para|em alguma|qualquer|caso|mais|de? dúvida|dúvidas|questão|questões|informação|
        esclarecimento|coisa|pergunta ... avis*|dig*|contact*|entr*|lig*|disposição|estamos|estou|
        fico?
        fico|ficamos|estou|estamos|permanecemos|permaneço à|a|ao|ao inteira|sua|vossa|tua|seu|
        dispor|disposição
        se tiver*|houver|tem|precisa*|surgir ... dúvida*|pergunta*|questão|questões|algo|alguma|
        mais|ajuda ... avis*|dig*|contact*|lig*|entr*|só|é?
        por favor|favor|queira ... encontr*|note|notar|desculp*|considere|desconsidere|ignore|
        consulte|aceit*|não / peço|pedimos desculp*
        agradeço|agradecemos|agradecemos ... pela|pelo|a|o|sua|seu|desde|muito ... compreensão|
        atenção|confiança|preferência|ajuda|colaboração|compra|apoio|paciência|contacto|contato
        é com|tenho|temos o? prazer|satisfação|alegria que|de|em ... anunci*|inform*|comuni*|
        convid*?
        gostaria|gostaríamos|queria|queríamos|venho|vimos ... de? ... agradecer|informar|anunciar|
        comunicar|convidar|apresentar|parabenizar / espero que _ / desejemos|desejamos a|lhe|que
    """,
    Kind.WAIVE: """
        não é|há|precisa*|precisas|tens|tem|necessita*|carece ... preciso|necessário|necessidade|
        responder|resposta|fazer|nada|vir|de|que / nenhuma resposta|ação ... necessária|requerida
        não precisa*|precisas ... responder|se|fazer|vir|de|mais / não responda*|respondas
        só|apenas|somente para|a|por ... conhecimento|informação|título|ciência
        nada a|mais fazer|acrescentar / não te|se preocup*
        já está|foi|consegui|encontrei|resolvi|resolvido ... resolvido|tratado?
        podes|pode|favor ignorar|desconsiderar
    """,
    Kind.SMALLTALK: """
        como estás|está|estão|vai|vais|vão|anda|andas você|vocês|tudo|isso|o|a? senhor|senhora?
        tudo bem|bom|certo|tranquilo|jóia com|contigo|por? você|ti|aí?
        como foi|foram ... férias|fim|viagem|feriado / ^ sério / ^ verdade / que tal está|estás
    """,
    Kind.RHETORIC: """
        quem diria|imaginaria|imaginava|pensaria|havia
        não é|está|foi lindo|incrível|fantástico|maravilh*|demais / dá para|pra acreditar
        acreditas|acredita nisso / sabes|sabe o|de quê|que uma / já viste|viu isto|isso
    """,
    Kind.SOMEONE: """
        alguém|algum|alguma de|sabe|tem|pode|conhece|quer|poderia|aí|dos?
        um|uma de|dos vocês|vós / quem pode|sabe|tem|quer|poderia|consegue|vai / algum de
    """,
    Kind.EVERYONE: """
        todos|todas|cada um|uma|vocês|vós? / ambos|ambas / vocês dois|duas|todos / os dois
        cada um
    """,
    Kind.THANKS: """
        obrigad*|obg|valeu|grat*|agradecid* / muito|muitíssimo obrigad* / agradeço|agradecemos
    """,
    Kind.CLOSING: """
        ^ perfeito|ótimo|óptimo|combinado|recebido|entendido|ok|okay|certo|beleza|feito|claro|
        excelente|fechado|está|tá|maravilha|parabéns|anotado|percebido|bom|boa|legal|valeu
        tudo certo|bem|claro|resolvido|ok
        está|tá|fica|ficou tudo|bem|bom|certo|ótimo|resolvido|combinado|tratado|perfeito
        sem problema*|stress / de nada / não tem problema|de / imagina
        bom|boa fim|dia|semana|tarde|noite|viagem|trabalho|feriado|final
        até amanhã|logo|breve|já|lá|segunda|terça|quarta|quinta|sexta|sábado|domingo|mais|à
        já encontrei|resolvi|tenho|consegui|recebi|está|foi|achei / por mim|para
        não é|precisa mais|preciso / esquece|esqueça / de acordo
    """,
    Kind.INFORM: """
        para|pra seu|sua|teu|tua|vosso|vossa|o|conhecimento|informação|ciência ... conhecimento|
        informação|ciência? / a título informativo
        informo|informamos|comunico|comunicamos|aviso|avisamos|confirmo|confirmamos|envio|
        enviamos|anexo|anexamos|encaminho|encaminhamos|reencaminho|lembro|lembramos|segue|seguem|
        junto|remeto que|em|o|a|os|as|lhe|te|vos|abaixo|anexo? / em|no anexo
        segue|seguem anexo|em|abaixo|o|a
        só|apenas|queria para|a|pra|só? avisar|informar|dizer|te|lhe?
        aqui está|estão|vai|vão|tens|tem
        conforme|como combinado|prometido|solicitado|combinámos|combinamos|pedido|acordado|
        falamos|falámos|conversamos / já enviei|reservei|paguei|falei|recebi|fiz|mandei|tratei
        será|serão|estará|estarão|fica|ficará fechad*|cancelad*|adiad*|disponív*|encerrad*|
        suspens* / relatório|resumo|ata|ponto semanal|da|de|do|mensal / a partir de|do|da
        vão|vai cortar|fechar|encerrar
    """,
    Kind.PROMISE: """
        dou|darei|damos|daremos|digo|direi|aviso|avisarei|confirmo|confirmarei|ligo|ligarei|
        respondo|responderei|mando|mandarei|envio|enviarei|enviaremos|retorno|retornarei|
        retornaremos|volto|voltarei ... lhe|te|vos|uma|algo|amanhã|a|na|no|assim|quando|até|
        contactar|resposta|em|já|depois
        tenho|temos|preciso|precisamos que|de ... verificar|confirmar|perguntar|ver|consultar|
        falar|analisar|checar
        vou|vamos|irei ... verificar|perguntar|ver|confirmar|consultar|enviar|mandar|ligar|tratar|
        fazer|checar|analisar|dar|falar|resolver / eu ligo|trato|vejo|resolvo|cuido|faço
        te|lhe ligo|aviso|digo|retorno|confirmo|mando|respondo|envio
    """,
    Kind.REMIND: """
        lembrete|lembrar|relembrar|recordar / alguma|há novidade*|notícia* / ainda não|sem|aguardo
        meu|minha|nosso|última|último email|e|mail|mensagem / semana passada
        atrasad*|pendente*|em atraso / segundo|último aviso|lembrete
    """,
    Kind.URGENT: """
        urgente*|urgência|imediatamente|urgentemente
        o mais|quanto rápido|breve|depressa|antes possível? / assim que possível / com urgência
        de imediato / muito importante / já hoje / asap
    """,
    Kind.DEADLINE: f"""
        até|antes|para a|ao|à|da|de|o|amanhã|hoje|próxima|esta? {_DAY} feira? de|à|pela? manhã|
        tarde|noite|cedo? / até _ _? _? _? / antes de|do|da|das _ _? _?
        no|o mais|máximo tardar|até|tardar _? _?
        para|até o|a|ao|dia|amanhã|hoje|fim _ de? {_MONTH} / para|em amanhã|hoje|já|24|48 horas?
        dentro|no|num de|prazo ... _ horas|dias|semanas / prazo ... até|é|termina|final _? _? _?
    """,
    Kind.SOON: """
        hoje|amanhã|imediatamente / esta|hoje tarde|noite|manhã|à|de / ainda hoje
        até amanhã|hoje|às / em 24|48 horas / o quanto antes / já hoje
    """,
    Kind.BILL: """
        pagável|vencimento|valor|pagamento ... até|em|é|de
        fatura|factura|nota|boleto n|no|nº|número|referente|fiscal|de|do
        pagar|transferir|liquidar a|o|esta fatura|factura|valor|boleto|montante
    """,
    Kind.LEGAL: """
        esta|este mensagem|email|e|mail ... confidencia*|contém|destina|é|pode|exclusiv*
        destinatári* ... exclusiv*|pretendid*|indicad*|engano|erro
        recebeu esta|este ... por|engano|erro / antes de imprimir / aviso legal
    """,
    Kind.BULK: """
        cancelar|anular ... inscrição|subscrição|assinatura / descadastr*
        não deseja*|quiser|quer ... receber
        recebe*|recebeu|recebendo este ... porque|email|mensagem
    """,
    Kind.PROMO: """
        todos os direitos / política de privacidade / ver no navegador / clique aqui
        grátis|gratuito
        compre|compra|aproveite|aproveita|descubra|descubra|inscreva|cadastre|confira agora|já|
        hoje|se|a|as|os|o|nossa*? / oferta|ofertas|promoção|desconto*|liquidação
        ganhe|ganhar dinheiro / crédito|empréstimo|cassino|casino|emagrecer / não perca
        até ... desconto|%
    """,
    Kind.GREETING: """
        ^ olá|oi|oie|ola|viva|alô|bom|boa|boas|ei dia|tarde|noite|a|pessoal|todos|gente|tardes? a|
        pessoal|todos|todas|gente? todos?
        ^ prezad*|caro|cara|caros|caras|estimad*|exmo*|exma*|querid* senhor*|sr|sra|cliente|
        colega*|amig*|todos|dr|dra? / ^ pessoal|gente|malta
    """,
    Kind.PITCH: """
        encontrei|vi|visitei|conheci|descobri|visitámos|vimos ... seu|sua|vosso|vossa|o|a ...
        + site|empresa|perfil|negócio|página
        ajudamos|trabalhamos|oferecemos|somos|apoiamos ... empresas|negócios|clientes|agência|com|
        uma / empresas|negócios como a|o sua|seu|vossa|vosso|tua
        mais|novos|atrair|captar|conquistar clientes|leads|vendas|reuniões
        aumentar|multiplicar|dobrar|alavancar|melhorar ... vendas|faturamento|faturação|tráfego|
        visibilidade|resultados|receita / marketing digital / seo|backlinks|captação|prospecção
        primeira página
    """,
    Kind.SALES: """
        15|quinze|10|dez|20|vinte|30|trinta minutos|min / sem compromisso|custo
        demonstração|demo|consultoria|conversa|chamada|reunião ... gratuita|grátis|rápida|breve|
        sem / oferta|desconto|promoção exclusiv*|especial / a pessoa certa|indicada|responsável
        nossa|nosso plataforma|software|solução|agência|ferramenta|serviço ... ajuda|permite|
        oferece|pode
    """,
    Kind.BAIT: """
        conta|caixa|acesso|cartão|cadastro|perfil ... bloquead*|suspens*|cancelad*|limitad*|
        desativad*|encerrad*|expir*|excluíd*|restrit*
        acesso|atividade|login|transação|tentativa ... suspeit*|incomum|não ... autorizad*?
        evitar ... suspensão|bloqueio|cancelamento|encerramento|perda
        ganhou|vencedor|sorteado|loteria|lotaria|herança|beneficiári*|prêmio|prémio
        milhões|milhão de ... dólares|euros|reais
        reembolso|restituição ... pendente|disponível|de
        encomenda|pacote ... retid*|pendente|alfândega|taxa|bloquead*
        vídeo*|fotos íntim*|comprometedor* / hackead*|invadid*
        medidas|ação legais|judicial|judiciais
    """,
    Kind.CREDENTIAL: """
        confirm*|verifi*|atuali*|valid*|insira|inserir|inserindo|informe|forneça|digite ... sua|
        seu|seus|suas|tua|teus|os|a ... dados|identidade|conta|senha|password|credenciais|
        cadastro|palavra|cartão|informações|acesso
        clique|clicando|clicar|acesse ... link|aqui|botão|em|no
        utilizador|usuário|login e ... senha|password|palavra / sua|tua senha|palavra
        dados bancários|da|do|de conta|cartão? / no|pelo|seguinte|este link|seguinte
        palavra passe
    """,
    Kind.PAYMENT: """
        cartão|cartões|vale* presente|oferta|itunes|steam|pré / bitcoin*|cripto*
        transferência|pix|ted ... urgente|hoje|imediat*|internacional|confidencial|agora
        nov*|alteração|mudança|alterad* ... iban|dados|conta|bancários
        taxa|custas|despesas ... liberação|alfândega|desalfandegamento|envio|processamento|
        transferência / western union
    """,
    Kind.PRESSURE: """
        em|dentro|nas|próximas até|de|próximas? 24|48|72|12 horas
        imediatamente|urgente|urgentemente / último aviso|lembrete / caso|sob contrário|pena
        senão / confidencia*|sigilo|segredo / não conte|comente|fale ... ninguém|nada
        definitivamente|permanentemente / só hoje / evitar o
    """,
    Kind.GENERIC: """
        ^ prezad*|caro|cara|estimad*|querid* cliente|utilizador*|usuári*|senhor|amig*|
        contribuinte|membro|titular / atendimento|serviço ao? cliente?
        administrador do sistema|correio / suporte técnico
    """,
    Kind.INJECTION: """
        ignor*|esque* ... todas|todos|as|suas|tuas|quaisquer ... instruç*|regras|ordens|
        orientações|diretrizes
        você|tu|agora é|és|agora ... um|uma|o ... assistente|modelo|ia|administrador
        prompt|mensagem|instrução de|do sistema / novas instruções para ... ia|assistente|modelo|a
        assistente|ia|agente ... deve|deves|deverá|precisa|tem
        ^ assistente|sistema ... envie*|responda*|encaminhe*|inclua*|ignore*|diga|adicione
        quem|qualquer|aquele ... escrev*|prepar*|redig*|respond* ... deve*|deverá|tem
        encaminh*|envi*|mand*|copi* ... todas|todos|cada|as|os|últimos ... emails|mensagens|
        senhas|contatos|contactos|códigos
        não diga|mencione|revele|informe ... nada|usuário|utilizador|ao
        usuário|utilizador ... aprovou|autorizou|aceitou
        inclu*|list*|adicion* ... todas|todos|cada ... senhas|códigos|mensagens|emails|contatos|
        palavras
    """,
}
